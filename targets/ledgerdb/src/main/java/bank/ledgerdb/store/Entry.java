package bank.ledgerdb.store;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Comparator;

/**
 * What went in or out of an account, and what was left. Entries of an account are numbered from 1, and each is sealed
 * with a digest that takes in the seal of the one before, so that none can be left out unseen.
 */
public record Entry(int account, long number, long cents, long balance, String text, long seal) {

    /** By account, and of each the newest first: that is how they are asked for. */
    static final Comparator<Entry> NEWEST_FIRST = Comparator.comparingInt(Entry::account)
            .thenComparing(Comparator.comparingLong(Entry::number).reversed());

    private static final int FIXED_BYTES = Integer.BYTES + 4 * Long.BYTES + Short.BYTES;

    /** The first entry of an account. */
    static Entry first(int account, long cents, String text) {
        return sealed(account, 1, cents, cents, text, 0);
    }

    /** The one after this. */
    Entry next(long more, String about) {
        return sealed(account, number + 1, more, balance + more, about, seal);
    }

    /** Whether it is as it was written, and follows `before`. */
    boolean follows(Entry before) {
        return equals(before.next(cents, text));
    }

    int bytes() {
        return FIXED_BYTES + text.getBytes(StandardCharsets.UTF_8).length;
    }

    void writeTo(ByteBuffer buffer) {
        byte[] told = text.getBytes(StandardCharsets.UTF_8);
        buffer.putInt(account).putLong(number).putLong(cents).putLong(balance).putLong(seal);
        buffer.putShort((short) told.length).put(told);
    }

    static Entry readFrom(ByteBuffer buffer) {
        int account = buffer.getInt();
        long number = buffer.getLong();
        long cents = buffer.getLong();
        long balance = buffer.getLong();
        long seal = buffer.getLong();
        byte[] told = new byte[buffer.getShort()];
        buffer.get(told);
        return new Entry(account, number, cents, balance, new String(told, StandardCharsets.UTF_8), seal);
    }

    private static Entry sealed(int account, long number, long cents, long balance, String text, long before) {
        byte[] told = text.getBytes(StandardCharsets.UTF_8);
        var buffer = ByteBuffer.allocate(FIXED_BYTES + told.length);
        buffer.putInt(account)
                .putLong(number)
                .putLong(cents)
                .putLong(balance)
                .putLong(before)
                .put(told);
        MessageDigest digest = sha256();
        digest.update(buffer.flip());
        return new Entry(
                account,
                number,
                cents,
                balance,
                text,
                ByteBuffer.wrap(digest.digest()).getLong());
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException everyJvmHasIt) {
            throw new IllegalStateException(everyJvmHasIt);
        }
    }
}
