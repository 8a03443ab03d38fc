package bank.ledgerdb.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A file of entries in their order, which is written once. A sparse index in memory says where to begin to read. */
final class Segment {

    /** Entries between two places that the index knows. */
    private static final int BLOCK = 64;

    private final Path path;
    private final FileChannel file;
    /** Of each block the account of its first entry, and where it begins; at the end where the last one ends. */
    private final int[] accounts;

    private final long[] offsets;

    private Segment(Path path, FileChannel file, int[] accounts, long[] offsets) {
        this.path = path;
        this.file = file;
        this.accounts = accounts;
        this.offsets = offsets;
    }

    /** Writes `entries`, which are in the order of the store. */
    static Segment write(Path path, List<Entry> entries) throws IOException {
        int blocks = (entries.size() + BLOCK - 1) / BLOCK;
        var accounts = new int[blocks];
        var offsets = new long[blocks + 1];
        var file = FileChannel.open(
                path, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
        for (int block = 0; block < blocks; block++) {
            List<Entry> those = entries.subList(block * BLOCK, Math.min((block + 1) * BLOCK, entries.size()));
            var buffer =
                    ByteBuffer.allocate(those.stream().mapToInt(Entry::bytes).sum());
            those.forEach(entry -> entry.writeTo(buffer));
            accounts[block] = those.get(0).account();
            offsets[block + 1] = offsets[block] + buffer.flip().remaining();
            while (buffer.hasRemaining()) {
                file.write(buffer);
            }
        }
        return new Segment(path, file, accounts, offsets);
    }

    /** The newest entries of an account, at most `limit` of them. */
    List<Entry> newest(int account, int limit) throws IOException {
        var found = new ArrayList<Entry>();
        for (int block = firstOf(account); block < accounts.length && accounts[block] <= account; block++) {
            for (Entry entry : read(block)) {
                if (entry.account() == account && found.size() < limit) {
                    found.add(entry);
                }
            }
            if (found.size() == limit) {
                break;
            }
        }
        return found;
    }

    List<Entry> all() throws IOException {
        var found = new ArrayList<Entry>();
        for (int block = 0; block < accounts.length; block++) {
            found.addAll(read(block));
        }
        return found;
    }

    void delete() throws IOException {
        file.close();
        Files.delete(path);
    }

    /** The block in which an account may begin: the last one that begins with an earlier account. */
    private int firstOf(int account) {
        int place = Arrays.binarySearch(accounts, account);
        int at = place < 0 ? -place - 1 : place;
        while (at > 0 && accounts[at - 1] == account) {
            at--;
        }
        return Math.max(0, at - 1);
    }

    private List<Entry> read(int block) throws IOException {
        var buffer = ByteBuffer.allocate((int) (offsets[block + 1] - offsets[block]));
        while (buffer.hasRemaining()) {
            if (file.read(buffer, offsets[block] + buffer.position()) < 0) {
                throw new IOException(path + " is shorter than it was");
            }
        }
        buffer.flip();
        var entries = new ArrayList<Entry>(BLOCK);
        while (buffer.hasRemaining()) {
            entries.add(Entry.readFrom(buffer));
        }
        return entries;
    }
}
