"""`make bench`: how much our loader and service cost, against TensorBoard's on the same logs in the same run."""
