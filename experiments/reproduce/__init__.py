"""Whether a configuration gives the same bits again: twice, killed, on other devices."""
