package depot.packer.archive;

import java.util.List;

/** What is known of a packed archive; its bytes are gone. */
public record Archive(int id, List<Part> parts) {

    public Archive {
        parts = List.copyOf(parts);
    }

    public long bytes() {
        return parts.stream().mapToLong(Part::bytes).sum();
    }

    public long packedBytes() {
        return parts.stream().mapToLong(Part::packedBytes).sum();
    }
}
