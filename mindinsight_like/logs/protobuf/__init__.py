"""Read protobuf messages without the protobuf library."""
