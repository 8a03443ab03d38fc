package dev.pacecar.scenarios;

/** How far one side has got with its {@link Blocks}. Asked by one virtual user, after its last answer. */
final class CountedUser {
    private final Blocks blocks;
    private final String side;
    private final int requests;
    private int block;
    private int number;

    /** A request to be sent: the {@code number}-th of {@code block}, both from 0. */
    record Request(int block, int number) {}

    CountedUser(Blocks blocks, String side, int requests) {
        this.blocks = blocks;
        this.side = side;
        this.requests = requests;
    }

    /** Whether a request may be sent now. The last request was answered: when it ended its block, that is noted. */
    boolean ready() {
        if (number == requests) {
            blocks.answered(side, block);
            block++;
            number = 0;
        }
        return number > 0 || blocks.open(block);
    }

    /** The request to be sent now, which is {@link #ready}. */
    Request next() {
        return new Request(block, number++);
    }

    /** Whether nothing is left to be sent. */
    boolean over() {
        return number == 0 && blocks.over();
    }
}
