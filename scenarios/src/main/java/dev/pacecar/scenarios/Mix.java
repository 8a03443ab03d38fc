package dev.pacecar.scenarios;

import static io.gatling.javaapi.core.CoreDsl.doSwitch;
import static io.gatling.javaapi.core.CoreDsl.onCase;

import io.gatling.javaapi.core.ChainBuilder;
import io.gatling.javaapi.core.Choice;
import io.gatling.javaapi.core.Session;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/** The operations of a simulation with their weights. */
final class Mix {
    private static final String CHOSEN = "pacecarOperation";

    private final List<Operation> operations;
    private final double[] upTo;

    Mix(List<Operation> operations) {
        if (operations.isEmpty()) {
            throw new IllegalArgumentException("There is nothing to do: the mix holds no operation");
        }
        if (operations.stream().map(Operation::name).distinct().count() < operations.size()) {
            throw new IllegalArgumentException("Two operations of the mix have the same name");
        }
        this.operations = List.copyOf(operations);
        double total = operations.stream().mapToDouble(Operation::weight).sum();
        upTo = new double[operations.size()];
        double sum = 0;
        for (int i = 0; i < upTo.length; i++) {
            sum += operations.get(i).weight() / total;
            upTo[i] = sum;
        }
    }

    /** Index of the operation at {@code choice} in [0, 1): each covers a share as wide as its weight. */
    int at(double choice) {
        for (int i = 0; i < upTo.length; i++) {
            if (choice < upTo[i]) {
                return i;
            }
        }
        return upTo.length - 1; // rounding: the shares may add up to a little less than 1
    }

    /** Indices of the {@code most} operations with the largest weights, in their own order. */
    List<Integer> heaviest(int most) {
        return IntStream.range(0, operations.size())
                .boxed()
                .sorted(Comparator.comparingDouble(
                        index -> -operations.get(index).weight()))
                .limit(most)
                .sorted()
                .toList();
    }

    Operation operation(int index) {
        return operations.get(index);
    }

    /** Carries out the operation whose index the session holds, see {@link #choose}. */
    ChainBuilder carryOut() {
        if (operations.size() == 1) {
            return operations.get(0).chain(); // Gatling refuses to switch between fewer than two
        }
        List<Choice.WithKey> cases = new ArrayList<>();
        for (int i = 0; i < operations.size(); i++) {
            cases.add(onCase(i).then(operations.get(i).chain()));
        }
        return doSwitch("#{" + CHOSEN + "}").on(cases);
    }

    /** The session with the operation at {@code index} chosen and its data drawn from {@code seed}. */
    Session choose(Session session, int index, long seed) {
        return session.setAll(operations.get(index).data().apply(new Draw(seed)))
                .set(CHOSEN, index);
    }
}
