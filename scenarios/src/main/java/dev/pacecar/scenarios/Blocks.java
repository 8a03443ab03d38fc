package dev.pacecar.scenarios;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Load in blocks: so many requests of one operation, one after the other, to all sides at once. A block begins when
 * whoever reads the services' counters has read them, and is over when every side has answered its last request, so
 * what the counters grew by in between belongs to that operation.
 *
 * <p>The blocks go through the operations forwards, backwards, forwards and so on. Each block of an operation holds
 * the same requests: what differs between two of them is not the requests' doing.
 */
final class Blocks {
    /** In the file of those that may be sent: no more will be. */
    private static final int END = -1;

    private static final ObjectMapper JSON = new ObjectMapper();

    private final Plan plan;
    private final Set<String> sides;
    private final List<Integer> operations;
    private final List<String> names;
    private final Map<String, Integer> answered = new HashMap<>();
    private int noted;

    private Blocks(Plan plan, List<Integer> operations, List<String> names) {
        this.plan = plan;
        this.sides = plan.sides().keySet();
        this.operations = operations;
        this.names = names;
    }

    /** Those of {@code plan}, with the heaviest operations of {@code mix}. */
    static Blocks of(Plan plan, Mix mix) {
        List<Integer> operations = mix.heaviest(plan.counted().operations());
        List<String> names =
                operations.stream().map(index -> mix.operation(index).name()).toList();
        return new Blocks(plan, operations, names);
    }

    /** Says in which order the operations are asked; before anything is sent. */
    void announce() {
        note(Map.of("operations", names));
    }

    /** Index in the mix of the operation that {@code block}, from 0, is made of. */
    int operation(int block) {
        return operations.get(place(block));
    }

    /** Seed of the data of request {@code number} of {@code block}: the same in each block of its operation. */
    long seed(int block, int number) {
        return Seeds.derive(plan.seed(), "counted", operation(block), number);
    }

    /** Whether {@code block} may be sent by now. */
    boolean open(int block) {
        return block < opened();
    }

    /** Whether no more blocks will be asked for. */
    boolean over() {
        return opened() == END;
    }

    /** Notes that {@code side} has answered the last request of {@code block}. */
    synchronized void answered(String side, int block) {
        answered.put(side, block + 1);
        while (sides.stream().allMatch(each -> answered.getOrDefault(each, 0) > noted)) {
            note(Map.of("block", noted, "endpoint", names.get(place(noted))));
            noted++;
        }
    }

    private int place(int block) {
        int place = block % operations.size();
        return block / operations.size() % 2 == 0 ? place : operations.size() - 1 - place;
    }

    private int opened() {
        try {
            return Integer.parseInt(
                    Files.readString(Path.of(plan.counted().goFile())).strip());
        } catch (NoSuchFileException notYet) {
            return 0;
        } catch (IOException error) {
            throw new UncheckedIOException("Cannot read which blocks may be sent", error);
        }
    }

    private void note(Map<String, Object> line) {
        try {
            Files.writeString(
                    Path.of(plan.counted().doneFile()),
                    JSON.writeValueAsString(line) + "\n",
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (IOException error) {
            throw new UncheckedIOException("Cannot note a block", error);
        }
    }
}
