package atlas.gazetteer.map;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/** Images in the format PNG (RFC 2083), as far as a map needs it. */
final class Png {

    private static final long SIGNATURE = 0x89504E470D0A1A0AL;
    private static final byte BITS = 8;
    private static final byte GREY = 0;

    private Png() {}

    /** A square image in shades of grey, row by row from the top. */
    static byte[] grey(byte[] shades, int side) {
        var bytes = new ByteArrayOutputStream();
        try (var png = new DataOutputStream(bytes)) {
            png.writeLong(SIGNATURE);
            chunk(png, "IHDR", header(side));
            chunk(png, "IDAT", deflated(filtered(shades, side)));
            chunk(png, "IEND", new byte[0]);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return bytes.toByteArray();
    }

    private static byte[] header(int side) {
        // The last three: deflate, the five filters, not interlaced.
        return ByteBuffer.allocate(13)
                .putInt(side)
                .putInt(side)
                .put(new byte[] {BITS, GREY, 0, 0, 0})
                .array();
    }

    /** Each row after the number of its filter: 1, the difference to the pixel on the left. */
    private static byte[] filtered(byte[] shades, int side) {
        var rows = new byte[side * (side + 1)];
        for (int y = 0; y < side; y++) {
            int start = y * (side + 1);
            rows[start] = 1;
            byte left = 0;
            for (int x = 0; x < side; x++) {
                byte shade = shades[y * side + x];
                rows[start + 1 + x] = (byte) (shade - left);
                left = shade;
            }
        }
        return rows;
    }

    private static byte[] deflated(byte[] data) {
        var deflater = new Deflater();
        try {
            deflater.setInput(data);
            deflater.finish();
            var out = new ByteArrayOutputStream();
            var part = new byte[4096];
            while (!deflater.finished()) {
                out.write(part, 0, deflater.deflate(part));
            }
            return out.toByteArray();
        } finally {
            deflater.end();
        }
    }

    private static void chunk(DataOutputStream png, String type, byte[] data) throws IOException {
        byte[] name = type.getBytes(StandardCharsets.US_ASCII);
        var sum = new CRC32();
        sum.update(name);
        sum.update(data);
        png.writeInt(data.length);
        png.write(name);
        png.write(data);
        png.writeInt((int) sum.getValue());
    }
}
