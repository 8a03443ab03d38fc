package depot.packer.packing;

import depot.packer.archive.Part;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.zip.CRC32;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Factory;

/** Makes and packs one part of an archive. Each takes two buffers, which are garbage when it is done. */
final class PartPacker {

    /** Of random bytes, in front of zeros. */
    private static final int RANDOM_BYTES = 256 * 1024;

    private final LZ4Compressor compressor = LZ4Factory.nativeInstance().fastCompressor();
    private final int bytes;

    /** `bytes`: how long a part is. */
    PartPacker(int bytes) {
        this.bytes = bytes;
    }

    /** The same for the same archive and number. */
    Part pack(int archive, int number) {
        ByteBuffer plain = buffer(bytes);
        fill(plain, new Random(31L * archive + number));
        ByteBuffer packed = buffer(compressor.maxCompressedLength(bytes));
        compressor.compress(plain, packed);
        return new Part(number, bytes, packed.position(), checksum(packed.flip()));
    }

    private static ByteBuffer buffer(int length) {
        return ByteBuffer.allocate(length);
    }

    private static void fill(ByteBuffer plain, Random random) {
        int end = Math.min(RANDOM_BYTES, plain.capacity());
        for (int at = 0; at + Integer.BYTES <= end; at += Integer.BYTES) {
            plain.putInt(at, random.nextInt());
        }
    }

    private static long checksum(ByteBuffer packed) {
        var checksum = new CRC32();
        checksum.update(packed);
        return checksum.getValue();
    }
}
