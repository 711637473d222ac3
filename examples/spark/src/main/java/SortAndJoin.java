import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/** An ordinary program for Spark: it sorts records, joins them with others, and checks the result. It knows nothing of verbs. */
public final class SortAndJoin {
    private static final int PARTITIONS = 8;

    private SortAndJoin() {
    }

    /** @param arguments how many records of 100 bytes there are, and how many rounds */
    public static void main(String[] arguments) {
        int records = Integer.parseInt(arguments[0]);
        int rounds = Integer.parseInt(arguments[1]);
        try (JavaSparkContext spark = new JavaSparkContext(new SparkConf())) {
            List<Integer> seeds = new ArrayList<>();
            for (int seed = 0; seed < PARTITIONS; seed++) {
                seeds.add(seed);
            }
            int share = records / PARTITIONS;
            for (int round = 1; round <= rounds; round++) {
                long begin = System.nanoTime();
                JavaPairRDD<Integer, byte[]> left = spark.parallelize(seeds, PARTITIONS).flatMapToPair(seed -> records(seed, share).iterator());
                // Each key is there once: the numbers from 0, shuffled.
                List<Integer> sorted = left.sortByKey(true, PARTITIONS).keys().collect();
                for (int i = 0; i < sorted.size(); i++) {
                    if (sorted.get(i) != i) {
                        throw new IllegalStateException("record " + i + " has the key " + sorted.get(i));
                    }
                }
                JavaPairRDD<Integer, byte[]> right = spark.parallelize(seeds, PARTITIONS)
                        .flatMapToPair(seed -> records(PARTITIONS - 1 - seed, share).iterator());
                long equal = left.join(right, PARTITIONS).filter(pair -> java.util.Arrays.equals(pair._2._1, pair._2._2)).count();
                if (sorted.size() != share * PARTITIONS || equal != sorted.size()) {
                    throw new IllegalStateException(sorted.size() + " records sorted and " + equal + " joined, of " + share * PARTITIONS);
                }
                System.out.printf("round %d: %d records sorted and joined in %.2f s%n", round, equal, (System.nanoTime() - begin) / 1e9);
            }
        }
    }

    private static List<Tuple2<Integer, byte[]>> records(int seed, int share) {
        List<Tuple2<Integer, byte[]>> records = new ArrayList<>(share);
        for (int i = 0; i < share; i++) {
            int key = i * PARTITIONS + seed;
            byte[] value = new byte[96];
            new Random(key).nextBytes(value);
            records.add(new Tuple2<>(key, value));
        }
        java.util.Collections.shuffle(records, new Random(seed));
        return records;
    }
}
