package dev.pacecar.scenarios;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class HiccupLogTest {
    private static final Plan PLAN = PlanExamples.open(1, 10);
    private static final long NOON = 1_800_000_000_000_000_000L;

    @TempDir
    Path folder;

    private final HiccupLog log = new HiccupLog(new LoadClock(PLAN, new Timeline(PLAN)));

    @Test
    void whatIsShorterThanATimerIsLateIsNoHiccup() throws IOException {
        log.woke(NOON, NOON + HiccupLog.SHORTEST - 1);
        log.woke(NOON + 1_234_567, NOON + 1_234_567 + HiccupLog.SHORTEST);

        assertEquals(List.of("start_ms,duration_ms", "1800000000001.234,5.000"), written());
    }

    @Test
    void theThreadThatWatchesEndsWithTheProcess() throws IOException {
        log.start();

        assertTrue(Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("pacecar-hiccups"))
                .anyMatch(Thread::isDaemon));
        assertEquals("start_ms,duration_ms", written().get(0));
    }

    private List<String> written() throws IOException {
        Path file = folder.resolve("hiccups.csv");
        log.write(file);
        return Files.readAllLines(file);
    }
}
