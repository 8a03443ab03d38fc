package dev.pacecar.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class CountersTest {
    private static final int MIB = 1 << 20;
    private static final int KEPT = 24;

    private static volatile byte[][] kept;

    private static byte[][] mebibytes(int count) {
        byte[][] blocks = new byte[count][];
        for (int i = 0; i < count; i++) {
            blocks[i] = new byte[MIB - 64]; // G1 rounds half a region and more up to a whole one
        }
        return blocks;
    }

    private static long heapAfterGc(Counters counters) {
        Matcher found = Pattern.compile("\"heapAfterGcBytes\":(\\d+)").matcher(counters.json());
        assertTrue(found.find());
        return Long.parseLong(found.group(1));
    }

    @Test
    void afterAFullCollectionTheHeapHoldsWhatIsAlive() {
        Counters counters = new Counters(Allocation.ofThisJvm(), null);
        System.gc();
        long empty = heapAfterGc(counters);

        kept = mebibytes(KEPT);
        System.gc();
        long full = heapAfterGc(counters);
        kept = null;
        long unchanged = heapAfterGc(counters);
        System.gc();
        long emptyAgain = heapAfterGc(counters);

        assertTrue(empty > 0);
        assertEquals(KEPT * (double) MIB, full - empty, 2.0 * MIB);
        assertEquals(full, unchanged, "garbage counts until it is collected");
        assertEquals(empty, emptyAgain, 2.0 * MIB);
    }
}
