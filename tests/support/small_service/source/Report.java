public class Report {
    // As it was at first
    public static byte[] write() {
        var text = new StringBuilder();
        for (int copy = 0; copy < 2; copy++) {
            text.setLength(0);
            for (int line = 0; line < 200; line++)
                text.append("line ").append(line).append('\n');
            last = text.toString().getBytes();
        }
        return last;
    }

    private static volatile byte[] last;
}
