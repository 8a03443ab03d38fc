package dev.pacecar.scenarios;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class TimelineTest {
    private final Timeline timeline = new Timeline(PlanExamples.open(1, 10));

    @Test
    void separatesWarmupAndSlicesByGaps() {
        assertEquals(4_000_000_000L, timeline.warmupEnd());
        assertEquals(4_500_000_000L, timeline.measureStart());
        assertEquals(
                new Timeline.Slice(2, "candidate", 1, 9_500_000_000L, 11_500_000_000L),
                timeline.slices().get(2));
        assertEquals(19_000_000_000L, timeline.end());
        assertEquals(19_500_000_000L, timeline.over());
    }

    @Test
    void countsTheTurnsOfEachSideByItself() {
        assertEquals(
                List.of(0, 0, 1, 1, 2, 2),
                timeline.slices().stream().map(Timeline.Slice::round).toList());
        assertEquals(
                List.of(0, 3, 5),
                timeline.slicesOf("baseline").stream()
                        .map(Timeline.Slice::index)
                        .toList());
    }

    @Test
    void theSidesTakeTurnsAfterTheBurst() {
        assertEquals(
                List.of(
                        turn("baseline", 0, 1_000, 1_750),
                        turn("candidate", 0, 1_750, 2_500),
                        turn("candidate", 1, 2_500, 3_250),
                        turn("baseline", 1, 3_250, 4_000)),
                timeline.warmupTurns());
    }

    @Test
    void withoutABurstBothSidesHaveAllOfTheWarmup() {
        Plan cold = PlanExamples.warmed(PlanExamples.open(1, 10), new Plan.Warmup(4, 0, 1, null, null));
        assertEquals(
                List.of(turn("baseline", 0, 0, 4_000), turn("candidate", 0, 0, 4_000)),
                new Timeline(cold).warmupTurns());
    }

    private static Timeline.Slice turn(String side, int round, long startMillis, long endMillis) {
        return new Timeline.Slice(Arrival.WARMUP, side, round, startMillis * 1_000_000, endMillis * 1_000_000);
    }

    @Test
    void aBurstIsNeverLongerThanTheWarmup() {
        Plan shorter = PlanExamples.warmed(PlanExamples.open(1, 10), new Plan.Warmup(2, 5, 2, null, null));
        assertEquals(2_000_000_000L, new Timeline(shorter).burstEnd());
    }
}
