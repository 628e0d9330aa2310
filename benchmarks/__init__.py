"""What `make bench` runs: measurements on real input, with the bounds that hold."""
