"""protoc of grpcio-tools: .proto files to descriptors."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tempfile
from pathlib import Path

IS_AVAILABLE = importlib.util.find_spec("grpc_tools") is not None


def descriptor_set(folder: Path, *names: str) -> bytes:
    """The serialized FileDescriptorSet of some .proto files of a folder, without comments and positions."""
    with tempfile.TemporaryDirectory() as output:
        target = Path(output, "descriptors")
        options = [f"--proto_path={folder}", f"--descriptor_set_out={target}"]
        subprocess.run([sys.executable, "-m", "grpc_tools.protoc", *options, *names], check=True)
        return target.read_bytes()
