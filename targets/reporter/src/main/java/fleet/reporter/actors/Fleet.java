package fleet.reporter.actors;

import fleet.reporter.tours.Plan;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.DispatcherSelector;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.AskPattern;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Routers;

/** All actors, to be asked from outside. `application.conf` says on which threads they run. */
public final class Fleet {

    private static final int PLANNERS = 2;
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final ActorSystem<?> system;
    private final ActorRef<TourPlanner.Make> planners;
    private final ActorRef<Reporter.Message> reporter;

    private Fleet(ActorSystem<?> system, ActorRef<TourPlanner.Make> planners, ActorRef<Reporter.Message> reporter) {
        this.system = system;
        this.planners = planners;
        this.reporter = reporter;
    }

    public static Fleet start() {
        var started = new CompletableFuture<Fleet>();
        ActorSystem.create(root(started), "fleet");
        return started.join();
    }

    public ActorSystem<?> system() {
        return system;
    }

    public CompletionStage<Plan> plan(int id) {
        return AskPattern.ask(planners, customer -> new TourPlanner.Make(id, customer), PATIENCE, system.scheduler());
    }

    /** What the report says of a district, from 0. */
    public CompletionStage<District.Figures> figures(int district) {
        return AskPattern.ask(reporter, reader -> new Reporter.Read(district, reader), PATIENCE, system.scheduler());
    }

    private static Behavior<Void> root(CompletableFuture<Fleet> started) {
        return Behaviors.setup(context -> {
            started.complete(spawned(context));
            return Behaviors.empty();
        });
    }

    private static Fleet spawned(ActorContext<Void> context) {
        var work = DispatcherSelector.fromConfig("work-dispatcher");
        ActorRef<Reporter.Message> reporter =
                context.spawn(Reporter.create(), "reporter", DispatcherSelector.fromConfig("reporter-dispatcher"));
        ActorRef<TourPlanner.Make> planners = context.spawn(
                Routers.pool(PLANNERS, TourPlanner.create(reporter)).withRouteeProps(work), "planners", work);
        return new Fleet(context.getSystem(), planners, reporter);
    }
}
