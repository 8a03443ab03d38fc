package fleet.reporter.actors;

import fleet.reporter.tours.Plan;
import fleet.reporter.tours.Planner;
import fleet.reporter.tours.Tour;
import fleet.reporter.tours.Town;
import java.util.ArrayList;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.Behaviors;

/** Makes plans, and has each tour reported as soon as it is planned. */
public final class TourPlanner {

    /** For a plan, by its number. */
    public record Make(int plan, ActorRef<Plan> customer) {}

    private TourPlanner() {}

    static Behavior<Make> create(ActorRef<Reporter.Message> reporter) {
        return Behaviors.receiveMessage(message -> make(message, reporter));
    }

    private static Behavior<Make> make(Make message, ActorRef<Reporter.Message> reporter) {
        var tours = new ArrayList<Tour>();
        for (int van = 1; van <= Town.VANS; van++) {
            Tour tour = Planner.tour(message.plan(), van);
            tours.add(tour);
            reporter.tell(new Reporter.Planned(tour));
        }
        message.customer().tell(new Plan(message.plan(), tours));
        return Behaviors.same();
    }
}
