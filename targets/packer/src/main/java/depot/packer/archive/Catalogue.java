package depot.packer.archive;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** What is known of the latest packing of each archive. */
public final class Catalogue {

    /** Archives have the numbers 1 to so many. */
    public static final int ARCHIVES = 40;

    private final AtomicReferenceArray<Archive> latest = new AtomicReferenceArray<>(ARCHIVES + 1);

    public void keep(Archive archive) {
        latest.set(archive.id(), archive);
    }

    /** Nothing where there is no such archive, or it was never packed. */
    public Optional<Archive> find(int id) {
        return id < 1 || id > ARCHIVES ? Optional.empty() : Optional.ofNullable(latest.get(id));
    }
}
