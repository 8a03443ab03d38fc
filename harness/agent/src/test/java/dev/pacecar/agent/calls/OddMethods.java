package dev.pacecar.agent.calls;

/** Methods that look like those of a statement, with all that is hard to get right in their code. */
public final class OddMethods {
    public boolean execute(String text) {
        try {
            synchronized (this) {
                for (int i = 0; i < 3; i++) {
                    if (Integer.parseInt(text) == i + 3) {
                        return true;
                    }
                }
                throw new IllegalStateException(text);
            }
        } catch (NumberFormatException none) {
            text = none.getMessage();
        } finally {
            text = text + "!";
        }
        return text.isEmpty();
    }

    public int executeUpdate() {
        long sum = 0;
        double half = 0.5;
        for (long i = 1; i <= 5; i++) {
            sum += i;
            half += switch ((int) i) {
                case 1 -> 1.0;
                case 2 -> half;
                default -> 0.0;
            };
        }
        return half > 0 ? (int) sum : -1;
    }
}
