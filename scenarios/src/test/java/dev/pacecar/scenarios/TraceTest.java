package dev.pacecar.scenarios;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class TraceTest {
    @Test
    void theIdIsTheSeedAndTheNumber() {
        assertEquals("00-000000000000002a0000000000000007-4000000000000007-01", Trace.parent(42, 7));
    }

    @Test
    void aNegativeSeedKeepsAllItsBits() {
        assertEquals("00-ffffffffffffffff0000000000000001-4000000000000001-01", Trace.parent(-1, 1));
    }

    @Test
    void noIdIsZeroWhateverIsNotLogged() {
        assertEquals("00-00000000000000010000000000000000-4000000000000000-01", Trace.parent(1, Trace.NOT_LOGGED));
    }
}
