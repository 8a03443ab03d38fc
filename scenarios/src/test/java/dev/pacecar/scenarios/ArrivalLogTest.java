package dev.pacecar.scenarios;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ArrivalLogTest {
    @TempDir
    Path folder;

    @Test
    void clockAndRowsShareOneTime() throws IOException {
        Plan example = PlanExamples.open(1, 10);
        Path clockFile = folder.resolve("clock.json");
        Plan plan = new Plan(
                1,
                example.model(),
                10,
                1,
                0,
                example.sides(),
                example.warmup(),
                example.slices(),
                2,
                0.5,
                List.of(),
                clockFile.toString(),
                "unused",
                "unused",
                false,
                null,
                Plan.Share.WHOLE,
                null);
        Timeline timeline = new Timeline(plan);
        LoadClock clock = new LoadClock(plan, timeline);
        clock.start(0);
        clock.start(5_000_000_000L); // the first start counts
        ArrivalLog log = new ArrivalLog(clock, plan.share());
        log.sent(3, "baseline", "GET \"/a\", /b", 1_500_000);
        log.answered(log.sent(3, "baseline", "GET /c", 2_500_000));
        log.write(folder.resolve("arrivals.csv"));

        var announced = JsonMapper.builder().build().readTree(clockFile.toFile());
        List<String> lines = Files.readAllLines(folder.resolve("arrivals.csv"));

        long start = announced.get("loadStartMs").asLong();
        assertEquals(start + 4_500, announced.get("measureStartMs").asLong());
        assertEquals(2_000, announced.get("sliceMs").asDouble());
        assertEquals(500, announced.get("gapMs").asDouble());
        assertEquals("slice,side,endpoint,due_ms,sent_ms,answered_ms,number", lines.get(0));
        String expected = "3,baseline,\"GET \"\"/a\"\", /b\"," + (start + 1) + ".500,";
        assertTrue(lines.get(1).startsWith(expected), lines.get(1));
        assertTrue(lines.get(1).endsWith(",,1"), "it was never answered");
        String[] answered = lines.get(2).split(",");
        assertTrue(Double.parseDouble(answered[5]) >= Double.parseDouble(answered[4]), lines.get(2));
        assertEquals("2", answered[6]);
        assertEquals(3, lines.size());
    }

    @Test
    void processesThatShareALoadGiveNoTwoRequestsTheSameNumber() {
        LoadClock clock = PlanExamples.clockIn(folder);
        Set<Long> numbers = new HashSet<>();
        for (int index = 0; index < 3; index++) {
            ArrivalLog log = new ArrivalLog(clock, new Plan.Share(index, 3));
            for (int sent = 0; sent < 4; sent++) {
                numbers.add(log.sent(0, "baseline", "GET /", 0).number());
            }
        }
        assertEquals(12, numbers.size());
        assertEquals(1, Collections.min(numbers));
        assertEquals(12, Collections.max(numbers));
    }
}
