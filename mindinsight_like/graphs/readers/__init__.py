"""One reader per format: bytes to a draft of the graph, and the message of one node to its details."""
