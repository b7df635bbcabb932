"""Keys of a flow's line that belong to its sender's host."""

HOST_KEYS = ("cpu_pps", "cpu_packet", "cpu_ack", "cpu_sack", "cpu_clock", "stalls", "nic", "txqueuelen", "ack_tick")
