// SPDX-License-Identifier: GPL-3.0-or-later

// TensorBoard's files of a run: whole records, the numbers of the run's own logs, and what a reader
// shows of a run that was interrupted.

#include <gtest/gtest.h>

#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <csignal>

#include "core/imaging/codecs/Image.h"
#include "core/training/run/RunRecorder.h"
#include "core/training/tensorboard/EventFile.h"
#include "core/training/tensorboard/EventMessages.h"
#include "tests/training/EventReader.h"
#include "tests/training/Support.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

Experiment watchedExperiment() {
  Experiment experiment = tinyExperiment();
  experiment.telemetry.tensorboard = true;
  return experiment;
}

using Shown = std::map<std::pair<std::string, std::int64_t>, ReadValue>;

/// The number under `tag` at `step`, or a failed test.
double shownAt(const Shown& shown, const std::string& tag, std::int64_t step) {
  const auto found = shown.find({tag, step});
  EXPECT_NE(found, shown.end()) << tag << " at step " << step;
  return found == shown.end() ? std::nan("") : found->second.number;
}

std::size_t countOf(const Shown& shown, const std::string& prefix) {
  return static_cast<std::size_t>(std::count_if(shown.begin(), shown.end(), [&](const auto& item) {
    return item.first.first.starts_with(prefix);
  }));
}

float asWritten(const Json& number) {
  return static_cast<float>(number.get<double>());
}

void expectHeads(const Shown& shown, const Json& line) {
  const std::int64_t step = line["step"];
  for (std::size_t layer = 0; layer < line["als"].size(); ++layer) {
    const auto found = shown.find({"als/layer_" + std::to_string(layer), step});
    ASSERT_NE(found, shown.end());
    const ReadHistogram& histogram = found->second.histogram;
    const std::vector<double> heads = line["als"][layer];
    EXPECT_FLOAT_EQ(histogram.least, *std::min_element(heads.begin(), heads.end()));
    EXPECT_FLOAT_EQ(histogram.greatest, *std::max_element(heads.begin(), heads.end()));
    EXPECT_EQ(histogram.count, heads.size());
    for (std::size_t head = 0; head < heads.size(); ++head)
      if (const Json& alpha = line["alpha"][layer][head]; !alpha.is_null()) {
        const std::string tag =
            "alpha/layer_" + std::to_string(layer) + "/head_" + std::to_string(head);
        EXPECT_FLOAT_EQ(shownAt(shown, tag, step), alpha.get<double>());
      }
  }
}

TEST(EventFiles, SayWhatTheLogsSay) {
  TemporaryFolder folder;
  runToEnd(*begin(watchedExperiment(), folder / "run"));
  ASSERT_EQ(eventFiles(folder / "run").size(), 1u);
  const auto events = readEventFile(eventFiles(folder / "run").front());
  EXPECT_EQ(events.front().version, "brain.Event:2");
  EXPECT_GT(events.front().seconds, 1.6e9);
  const Shown shown = shownOf(folder / "run");
  for (const std::string& text : linesOf(folder / "run/metrics.jsonl")) {
    const Json line = Json::parse(text);
    const std::int64_t step = line["step"];
    if (line["type"] == "step") {
      EXPECT_EQ(shownAt(shown, "train/loss", step), asWritten(line["loss"]));
      EXPECT_EQ(shownAt(shown, "train/learning_rate", step), asWritten(line["learning_rate"]));
      EXPECT_EQ(shownAt(shown, "train/gradient_norm", step), asWritten(line["gradient_norm"]));
    } else if (line["type"] == "epoch") {
      EXPECT_EQ(shownAt(shown, "train/epoch_loss", step), asWritten(line["train_loss"]));
      EXPECT_EQ(shownAt(shown, "validation/loss", step), asWritten(line["validation_loss"]));
      EXPECT_EQ(shownAt(shown, "validation/top1", step), asWritten(line["top1"]));
    } else if (line["type"] == "start") {
      EXPECT_EQ(shownAt(shown, "validation/loss", step), asWritten(line["validation_loss"]));
      EXPECT_EQ(shownAt(shown, "validation/top1", step), asWritten(line["top1"]));
    } else {
      expectHeads(shown, line);
    }
  }
  EXPECT_EQ(countOf(shown, "train/loss"), 10u);
  EXPECT_EQ(countOf(shown, "validation/loss"), 3u);  // before the first step, and two epochs
  EXPECT_EQ(countOf(shown, "als/layer_"), 12u);
  EXPECT_EQ(countOf(shown, "alpha/"), 6u);  // one soft head
}

TEST(EventFiles, ShowTheMapsOfTheProbeImages) {
  TemporaryFolder folder;
  runToEnd(*begin(watchedExperiment(), folder / "run"));
  const Shown shown = shownOf(folder / "run");
  EXPECT_EQ(countOf(shown, "probe/images"), 1u);
  EXPECT_EQ(countOf(shown, "probe/layer_"), 6u);  // two layers, before the first step and twice
  for (const auto& [at, value] : shown) {
    if (!at.first.starts_with("probe/")) continue;
    const auto image = decodeImage(value.png, at.first);
    ASSERT_TRUE(image) << image.error().text();
    EXPECT_EQ(image->width, value.width);
    EXPECT_EQ(image->height, value.height);
    EXPECT_EQ(value.colors, 3);
    EXPECT_FALSE(value.description.empty());
  }
}

/// The same but for the clock: the seconds that a step took.
void expectSameShown(const Shown& a, const Shown& b) {
  ASSERT_EQ(a.size(), b.size());
  for (auto i = a.begin(), j = b.begin(); i != a.end(); ++i, ++j) {
    EXPECT_EQ(i->first, j->first);
    if (i->first.first == "train/images_per_second") continue;
    EXPECT_EQ(i->second.number, j->second.number) << i->first.first;
    EXPECT_EQ(i->second.histogram.counts, j->second.histogram.counts);
    EXPECT_EQ(i->second.png, j->second.png);
  }
}

TEST(EventFiles, OfAnInterruptedRunShowTheUninterruptedOne) {
  TemporaryFolder folder;
  const auto whole = begin(watchedExperiment(), folder / "whole");
  // A copy of the folder, made between two steps, is what a kill would leave.
  const auto outcome = runWith(*whole, [&](std::int64_t step) {
    fs::copy(folder / "whole", folder / ("killed " + std::to_string(step)),
             fs::copy_options::recursive);
  });
  ASSERT_TRUE(outcome) << outcome.error().text();
  const Shown expected = shownOf(folder / "whole");
  for (const int step : {1, 2, 5, 7, 9}) {
    SCOPED_TRACE(step);
    const fs::path killed = folder / ("killed " + std::to_string(step));
    ASSERT_TRUE(runUntil(*resume(killed), 9));
    runToEnd(*resume(killed));
    EXPECT_GE(eventFiles(killed).size(), 2u);
    expectSameShown(expected, shownOf(killed));
    expectSame(lastTensors(folder / "whole"), lastTensors(killed));
  }
}

TEST(EventFiles, ChangeNothingThatIsLearned) {
  TemporaryFolder folder;
  runToEnd(*begin(watchedExperiment(), folder / "watched"));
  runToEnd(*begin(tinyExperiment(), folder / "plain"));
  expectSame(lastTensors(folder / "watched"), lastTensors(folder / "plain"));
  EXPECT_TRUE(eventFiles(folder / "plain").empty());
}

TEST(EventFiles, HaveNoImagesWhereNothingIsMeasured) {
  TemporaryFolder folder;
  Experiment experiment = watchedExperiment();
  experiment.telemetry.alsSteps = 0;
  runToEnd(*begin(experiment, folder / "run"));
  const Shown shown = shownOf(folder / "run");
  EXPECT_EQ(countOf(shown, "train/loss"), 10u);
  EXPECT_EQ(countOf(shown, "als/") + countOf(shown, "probe/"), 0u);
}

TEST(EventFiles, AreNamedBehindThoseBefore) {
  TemporaryFolder folder;
  const OpenFolder files = opened(folder.path());
  for (const char* name : {"events.out.tfevents.9000000000.far", "events.out.tfevents.x.y",
                           "events.out.tfevents.99999999999999999999.z"})
    valueOrThrow(files.write(name, "kept"));
  const std::string fresh = freshEventFileName(files);
  EXPECT_TRUE(fresh.starts_with("events.out.tfevents.9000000001.")) << fresh;
  valueOrThrow(EventFile(files, eventRecord(versionEvent())).append(startEvent(3)));
  EXPECT_EQ(valueOrThrow(files.read("events.out.tfevents.9000000000.far", 100)), "kept");
  const auto events = readEventFile(folder / fresh);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[1].session, 1);
  EXPECT_EQ(events[1].step, 3);
}

/// A disk that takes no more than so many bytes of a file, while it lives.
class SmallDisk {
 public:
  explicit SmallDisk(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &m_before);
    m_handler = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{bytes, m_before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  SmallDisk(const SmallDisk&) = delete;
  ~SmallDisk() {
    ::setrlimit(RLIMIT_FSIZE, &m_before);
    std::signal(SIGXFSZ, m_handler);
  }

 private:
  rlimit m_before{};
  void (*m_handler)(int) = nullptr;
};

TEST(EventFiles, ThatCannotGrowAreSaidOnceAndStayWhole) {
  TemporaryFolder folder;
  std::vector<std::string> warnings;
  RunRecorder recorder(RunFolder::create(folder / "run"), "",
                       [&](const std::string& warning) { warnings.push_back(warning); });
  recorder.keepEvents();
  const std::vector<EventImage> large{{"probe/large", "large", 1, 1, std::string(9000, 'x')}};
  {
    const SmallDisk disk(4096);
    recorder.step({{1, 0.5}});
    recorder.images(large, 1);
    recorder.images(large, 2);
    recorder.step({{2, 0.25}});
    recorder.images(large, 2);
  }
  recorder.images(large, 3);
  EXPECT_EQ(warnings.size(), 2u) << "once, and again after it worked meanwhile";
  EXPECT_NE(warnings.front().find("TensorBoard"), std::string::npos) << warnings.front();
  EXPECT_FALSE(recorder.owes());
  const Shown shown = shownOf(folder / "run");
  EXPECT_EQ(shownAt(shown, "train/loss", 1), 0.5);
  EXPECT_EQ(shownAt(shown, "train/loss", 2), 0.25);
  EXPECT_EQ(countOf(shown, "probe/large"), 1u);
}

TEST(EventFiles, LeaveOutWhatIsNoNumber) {
  const float nan = std::nanf(""), infinite = HUGE_VALF;
  EventSummary summary;
  summary.scalar("a", std::nan(""));
  summary.histogram("b", {nan, infinite});
  summary.histogram("c", {});
  EXPECT_TRUE(summary.empty());
  TemporaryFolder folder;
  summary.histogram("spread", {0.25f, nan, 0.75f, 0.5f, 0.75f});
  summary.histogram("one", {2, 2});
  valueOrThrow(EventFile(opened(folder.path()), "").append(summary.event(7)));
  const Shown shown = shownOf(folder.path());
  ASSERT_EQ(shown.size(), 2u);
  const ReadHistogram& spread = shown.at({"spread", 7}).histogram;
  EXPECT_EQ(spread.count, 4);
  EXPECT_EQ(spread.sum, 2.25);
  EXPECT_EQ(spread.squares, 0.0625 + 0.25 + 2 * 0.5625);
  ASSERT_EQ(spread.limits.size(), 30u);
  EXPECT_EQ(spread.limits.back(), 0.75);
  EXPECT_EQ(spread.counts.front(), 1);
  EXPECT_EQ(spread.counts[15], 1);
  EXPECT_EQ(spread.counts.back(), 2);
  EXPECT_EQ(shown.at({"one", 7}).histogram.counts, std::vector<double>{2});
}

}  // namespace
}  // namespace headlight
