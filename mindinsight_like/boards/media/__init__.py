"""REST routes of images, audio, texts, tensors, embeddings and meshes."""
