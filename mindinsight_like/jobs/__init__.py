"""Long computations in processes of their own, started by web workers and watched by all of them."""
