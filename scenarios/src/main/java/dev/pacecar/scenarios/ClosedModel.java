package dev.pacecar.scenarios;

import io.gatling.javaapi.core.PopulationBuilder;
import java.util.List;

/** The closed model: the same number of users for each side, each idle while the other side is under load. */
final class ClosedModel implements LoadModel {
    private final Plan plan;
    private final Timeline timeline;
    private final LoadClock clock;
    private final WarmupCount warmups;

    ClosedModel(Plan plan, Timeline timeline, LoadClock clock, WarmupCount warmups) {
        this.plan = plan;
        this.timeline = timeline;
        this.clock = clock;
        this.warmups = warmups;
    }

    @Override
    public long leadNanos() {
        return ClosedUsers.LEAD;
    }

    @Override
    public List<PopulationBuilder> fromTheStart(Dispatch dispatch) {
        ClosedUsers users = new ClosedUsers(clock, plan.share(), dispatch);
        return plan.sides().keySet().stream()
                .sorted()
                .flatMap(side -> users
                        .population(
                                "users of " + side,
                                plan.usersPerSide(),
                                number ->
                                        ClosedUser.ofModel(plan, timeline, side, number, () -> warmups.heldBack(side)))
                        .stream())
                .toList();
    }

    @Override
    public List<PopulationBuilder> afterBurst(Dispatch dispatch) {
        return List.of();
    }
}
