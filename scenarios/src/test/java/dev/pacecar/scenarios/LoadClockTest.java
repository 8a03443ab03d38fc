package dev.pacecar.scenarios;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LoadClockTest {
    private static final long SECOND = 1_000_000_000L;

    @TempDir
    Path folder;

    @Test
    void aLeapBringsEveryLaterTimeNearerAndIsAnnounced() throws IOException {
        LoadClock clock = PlanExamples.clockIn(folder);
        clock.start(5 * SECOND);
        JsonNode first = announced();
        assertFalse(first.get("final").asBoolean());

        clock.leap(SECOND, clock.epoch() / 1_000_000L);

        assertTrue(clock.now() >= SECOND - 1_000_000L, "the leap is of whole milliseconds");
        JsonNode last = announced();
        assertTrue(last.get("final").asBoolean());
        assertEquals(
                first.get("loadStartMs").asDouble(), last.get("loadStartMs").asDouble());
        double nearer = first.get("measureStartMs").asDouble()
                - last.get("measureStartMs").asDouble();
        assertTrue(nearer > 5_000 && nearer <= 6_000, "by " + nearer + " ms");
    }

    @Test
    void timeNeverLeapsBack() throws IOException {
        LoadClock clock = PlanExamples.clockIn(folder);
        clock.start(0);
        double before = announced().get("measureStartMs").asDouble();
        clock.leap(-SECOND, clock.epoch() / 1_000_000L);
        assertEquals(before, announced().get("measureStartMs").asDouble());
        assertTrue(announced().get("final").asBoolean());
    }

    @Test
    void clocksThatAreToldTheSameMomentsAgreeHoweverLateTheyLearnOfThem() throws IOException, InterruptedException {
        LoadClock clock = PlanExamples.clockIn(folder);
        long start = clock.epoch() / 1_000_000L;
        clock.startAt(start);
        double planned = announced().get("measureStartMs").asDouble();

        Thread.sleep(20);
        clock.leap(SECOND, start + 10);

        assertEquals(planned - 990, announced().get("measureStartMs").asDouble());
    }

    @Test
    void whatIsKeptIsAnnouncedAsItWas() throws IOException {
        LoadClock clock = PlanExamples.clockIn(folder);
        clock.start(0);
        double before = announced().get("measureStartMs").asDouble();
        clock.keep();
        assertEquals(before, announced().get("measureStartMs").asDouble());
        assertTrue(announced().get("final").asBoolean());
    }

    @Test
    void aWaitBetweenTheTwoClocksIsNotTakenForADifference() {
        AtomicLong now = new AtomicLong();
        AtomicInteger readings = new AtomicInteger();
        // Every reading of a clock takes 10 ns, and all but the third have to wait for 3 ms between the clocks.
        LoadClock.Anchor anchor = LoadClock.Anchor.tightest(
                () -> now.addAndGet(10),
                () -> now.addAndGet(readings.incrementAndGet() == 3 ? 10 : 3_000_000) + 5 * SECOND);
        assertEquals(5 * SECOND, anchor.epoch() - anchor.nano());
    }

    private JsonNode announced() throws IOException {
        return new ObjectMapper().readTree(folder.resolve("clock.json").toFile());
    }
}
