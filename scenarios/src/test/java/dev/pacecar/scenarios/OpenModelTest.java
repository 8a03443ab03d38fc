package dev.pacecar.scenarios;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class OpenModelTest {
    private static final long SECOND = 1_000_000_000L;

    @Test
    void startsUsersASecondAheadOfTheirBucket() {
        assertEquals(2 * SECOND, leadOf(new Plan.Warmup(4, 1, 3, null, null)));
    }

    @Test
    void withoutABurstOneMorePopulationComesFirst() {
        assertEquals(3 * SECOND, leadOf(new Plan.Warmup(4, 0, 3, null, null)));
    }

    private static long leadOf(Plan.Warmup warmup) {
        Plan plan = PlanExamples.warmed(PlanExamples.open(1, 10), warmup);
        Timeline timeline = new Timeline(plan);
        LoadClock clock = new LoadClock(plan, timeline);
        return new OpenModel(plan, timeline, clock, new WarmupCount(plan.sides().keySet())).leadNanos();
    }
}
