package depot.packer.archive;

/** A part of an archive: how long it was, how long it is, and the checksum of what was packed. */
public record Part(int number, int bytes, int packedBytes, long checksum) {}
