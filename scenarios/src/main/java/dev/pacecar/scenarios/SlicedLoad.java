package dev.pacecar.scenarios;

import static io.gatling.javaapi.core.CoreDsl.atOnceUsers;
import static io.gatling.javaapi.core.CoreDsl.pause;
import static io.gatling.javaapi.core.CoreDsl.scenario;
import static io.gatling.javaapi.http.HttpDsl.http;
import static io.gatling.javaapi.http.HttpDsl.status;

import io.gatling.javaapi.core.PopulationBuilder;
import io.gatling.javaapi.core.Simulation;
import io.gatling.javaapi.http.HttpProtocolBuilder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Load that alternates between two builds: what a simulation calls to be measured slice by slice.
 *
 * <pre>{@code
 * public final class Browsing extends Simulation {
 *     public Browsing() {
 *         SlicedLoad.fromPlan().run(this, List.of(
 *             Operation.of("GET /orders", 3,
 *                 draw -> Map.of("page", draw.number(0, 50)),
 *                 http("GET /orders").get(SlicedLoad.URL + "/orders?page=#{page}"))));
 *     }
 * }
 * }</pre>
 */
public final class SlicedLoad {
    /** What every request's URL begins with: the base URL of the side it goes to. */
    public static final String URL = Dispatch.URL_EXPRESSION;

    // Longer than Gatling's own time-out of a request, so that the last answers are waited for.
    private static final Duration PATIENCE = Duration.ofSeconds(70);

    // How long others may take to come up with whom the load begins.
    private static final Duration LONGEST_START = Duration.ofMinutes(2);

    // Whoever opens the blocks ends the process long before.
    private static final Duration LONGEST_COUNT = Duration.ofHours(4);

    private final Plan plan;

    private SlicedLoad(Plan plan) {
        this.plan = plan;
    }

    /**
     * The load that Pacecar asks for.
     *
     * @throws IllegalArgumentException when the simulation was not started by Pacecar, or its plan is unusable
     */
    public static SlicedLoad fromPlan() {
        return new SlicedLoad(Plan.fromSystemProperty());
    }

    /** What is asked for. */
    public Plan plan() {
        return plan;
    }

    /**
     * HTTP as it should be when latency is measured: connections are kept and shared between virtual users, each
     * request is exactly one request (no warm-up call, redirect, resource or cache), and any 2xx or 3xx status is a
     * success. Answers are discarded as they arrive unless a check reads them.
     */
    public static HttpProtocolBuilder protocol() {
        return http.shareConnections()
                .disableWarmUp()
                .disableFollowRedirect()
                .disableCaching()
                .disableAutoReferer()
                .check(status().lte(399)); // an answer's status is never below 200
    }

    /** Sets {@code simulation} up to carry out {@code operations} with {@link #protocol()}. */
    public void run(Simulation simulation, List<Operation> operations) {
        run(simulation, protocol(), operations);
    }

    /** Sets {@code simulation} up to carry out {@code operations}; begin {@code protocol} with {@link #protocol()}. */
    public void run(Simulation simulation, HttpProtocolBuilder protocol, List<Operation> operations) {
        Timeline timeline = new Timeline(plan);
        LoadClock clock = new LoadClock(plan, timeline);
        ArrivalLog log = new ArrivalLog(clock, plan.share());
        WarmupCount warmups = new WarmupCount(plan.sides().keySet());
        Mix mix = new Mix(operations);
        Dispatch dispatch = new Dispatch(plan, clock, mix, log, warmups);
        HttpProtocolBuilder traced = dispatch.tracing(protocol);
        HiccupLog hiccups = new HiccupLog(clock);
        hiccups.start();
        // A hook of the JVM rather than of Gatling: it also runs when Gatling is asked to end before its time.
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            log.write(Path.of(plan.arrivalsFile()));
            hiccups.write(Path.of(plan.hiccupsFile()));
        }));
        if (plan.counted() != null) {
            Blocks blocks = Blocks.of(plan, mix);
            simulation
                    .setUp(new CountedUsers(plan, blocks, clock, dispatch).populations())
                    .protocols(traced)
                    .maxDuration(LONGEST_COUNT);
            return;
        }
        LoadModel model = plan.model() == Plan.Model.OPEN
                ? new OpenModel(plan, timeline, clock, warmups)
                : new ClosedModel(plan, timeline, clock, warmups);
        List<PopulationBuilder> afterBurst = new ArrayList<>(model.afterBurst(dispatch));
        afterBurst.add(timekeeper(timeline, clock));
        List<PopulationBuilder> populations = new ArrayList<>(model.fromTheStart(dispatch));
        populations.add(new BurstKeeper(plan, timeline, clock, warmups, model.leadNanos())
                .population()
                .andThen(afterBurst));
        simulation
                .setUp(new StartKeeper(plan, clock, model.leadNanos())
                        .population()
                        .andThen(populations))
                .protocols(traced)
                .maxDuration(Duration.ofNanos(model.leadNanos() + timeline.over())
                        .plus(LONGEST_START)
                        .plus(PATIENCE));
    }

    // Holds Gatling until the gap after the last slice is over: in that gap, what it has used is read. The slice may
    // happen to have no arrival.
    private static PopulationBuilder timekeeper(Timeline timeline, LoadClock clock) {
        return scenario("timekeeper")
                .exec(pause(session -> clock.until(timeline.over())))
                .injectOpen(atOnceUsers(1));
    }
}
