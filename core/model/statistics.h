#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// Results of the statistics over seeds, as the window and the documents show them. Plain data; filled by core/stats.
// A number that does not exist (spread of one seed, p of a degenerate test) is an empty optional and `note` says why.
namespace holo::stats {

struct Interval {
    double lo = 0;
    double hi = 0;
};

// One test. `df` holds no, one or two degrees of freedom; `p` is the upper tail (or two-sided where the name says so).
struct TestResult {
    std::string name;
    std::vector<std::string> groups;
    std::optional<double> statistic;
    std::vector<double> df;
    std::optional<double> p;
    std::optional<double> pHolm;      // Holm over every p of the same list
    std::optional<double> pHolmName;  // Holm over the p of the same name only (one test, all pairs of arms)
    std::string note;
};

// Share of seeds with score >= floor. Empty k: no floor applies (scores are not shares and none was given).
struct LearnedShare {
    std::optional<double> floor;
    std::optional<int> k;
    int n = 0;
    std::optional<Interval> wilson;
};

// Spread between seeds without the binomial noise of a finite number of trials.
struct NoiseCorrection {
    std::optional<double> variance;       // sample variance of the scores over seeds
    std::optional<double> trialVariance;  // mean of p(1−p)/(trials−1)
    std::optional<double> corrected;      // variance − trialVariance; may be negative
    std::optional<double> sd;             // root of the corrected variance, 0 where that is negative
    std::string note;
};

// Largest gap between sorted scores.
struct HumpResult {
    bool twoHumped = false;
    std::optional<double> gap;       // width of the largest gap
    std::optional<double> gapShare;  // gap / range
    std::optional<double> p;         // chance of such a share where scores are spread evenly (uniform spacings)
    double below = 0;                // scores on both sides of the gap
    double above = 0;
    int nBelow = 0;
    int nAbove = 0;
};

struct GroupSummary {
    std::string arm;
    int n = 0;  // finite values
    std::optional<double> mean;
    std::optional<double> sd;  // n−1
    std::optional<double> min;
    std::optional<double> max;
    std::optional<double> median;
    std::optional<std::int64_t> worstSeed;
    std::vector<std::int64_t> seeds;  // of `values`
    std::vector<double> values;       // as given, non-finite ones included
    std::vector<std::int64_t> leftOut;  // seeds whose value is not finite
    LearnedShare learned;
    NoiseCorrection noise;
    std::vector<double> trials;  // trials per value; empty: unknown
    std::optional<Interval> meanInterval;  // bootstrap over seeds, 95 %: BCa, or percentile where that does not exist
    HumpResult humps;
    std::vector<double> bestOf;         // expected best of k = 1 … min(n, 64) seeds, without replacement
    std::vector<double> bestOfReaches;  // chance that the best of k reaches the floor; empty without a floor
    std::optional<double> perplexityMean;
    std::optional<double> perplexitySd;
    std::string note;
};

// SD of one arm over that of another, with bootstrap intervals over seeds (95 %).
struct SdRatio {
    std::vector<std::string> groups;  // the two arms
    std::optional<double> ratio;
    std::optional<Interval> percentile;
    std::optional<Interval> bca;
    std::string note;
};

struct SurvivalPoint {
    double step = 0;
    double emerged = 0;  // share of seeds that have emerged by this step (1 − Kaplan–Meier survival)
    Interval interval;   // 95 %, exponential Greenwood
    int atRisk = 0;
    int events = 0;
};

struct ArmEmergence {
    std::string arm;
    int n = 0;
    int emerged = 0;
    std::vector<std::int64_t> seeds;
    std::vector<std::optional<double>> steps;  // emergence step of each seed; empty: not within its budget
    std::optional<double> medianStep;
    std::optional<double> restrictedMean;
    std::optional<double> restrictedMeanError;  // standard error
    double horizon = 0;                         // restricted mean up to this step
    std::vector<SurvivalPoint> curve;
    int onPlateau = 0;  // seeds that sat on the chance plateau before emerging or to the end
};

// What the data allow to be said.
enum class ReadingKind { TooFew, SpreadTest, ShareLearned };

struct StatisticsTable {
    std::string metric;
    std::vector<GroupSummary> groups;
    std::vector<TestResult> tests;   // arms as independent samples; over all arms first, then pairs
    std::vector<TestResult> paired;  // seeds that two arms share
    std::vector<SdRatio> sdRatios;   // pairs of arms
    std::vector<ArmEmergence> emergence;
    std::optional<TestResult> logRank;
    std::optional<double> emergenceThreshold;
    HumpResult humps;  // all arms together
    ReadingKind readingKind = ReadingKind::TooFew;
    std::string reading;
    std::vector<std::string> notes;
};

}  // namespace holo::stats
