"""`python -m mindinsight_like` is the command `app`, for places where the scripts are not on the PATH."""

import sys

from mindinsight_like.scripts.cli import main

if __name__ == "__main__":
    sys.exit(main())
