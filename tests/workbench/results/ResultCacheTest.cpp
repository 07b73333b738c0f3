// SPDX-License-Identifier: GPL-3.0-or-later

// What is measured on datasets is kept beside model, masks, images and date, found again, and
// found by nothing else; files that are damaged or lie are measured anew.

#include "core/workbench/results/ResultCache.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "core/base/Clock.h"
#include "core/base/Log.h"
#include "core/base/files/Files.h"
#include "core/models/Registry.h"
#include "core/workbench/loading/LoadedModel.h"
#include "core/workbench/results/CachedMetrics.h"
#include "core/workbench/session/ModelAccess.h"
#include "tests/TemporaryFolder.h"
#include "tests/models/Shrunk.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

ResultKey someKey(const std::string& kind, const std::string& weights) {
  ResultKey key;
  key.kind = kind;
  key.model = "some model";
  key.scheme = "sch2";
  key.dataset = "folder";
  key.samples = 64;
  key.weights = weights;
  key.masks = "m";
  key.data = "d";
  return key;
}

std::unique_ptr<InferenceSession> smallSession(const std::string& published = "deit_tiny") {
  Experiment experiment;
  experiment.model = shrunk(findPublishedModel(published)->config);
  experiment.model.classes = 9;  // of texture-shape
  experiment.device = "cpu";
  experiment.threads = 1;
  experiment.data.validationSamples = 9;
  experiment.data.loaderThreads = 0;
  return valueOrThrow(InferenceSession::create(experiment));
}

ImageSample itsImages(const InferenceSession& session) {
  return {session.info().experiment.data, 9};
}

MaskScheme itsMasks(const InferenceSession& session) {
  return MaskScheme(makeMaskShape(session.info().experiment.model));
}

std::vector<fs::path> filesIn(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder))
    files.push_back(entry.path());
  return files;
}

/// Whether `work` measured: by its progress.
template <typename Work>
bool measures(Work work) {
  bool reported = false;
  const auto result = work([&](const Progress&) { reported = true; });
  EXPECT_TRUE(result) << (result ? "" : result.error().text());
  return reported;
}

class QuietLog {
 public:
  QuietLog() {
    setLogSink([this](LogLevel, const std::string& text) { m_said += text + "\n"; });
  }
  ~QuietLog() { setLogSink({}); }
  const std::string& said() const { return m_said; }

 private:
  std::string m_said;
};

TEST(ResultCache, FindsByWhatCountsOfTheKey) {
  TemporaryFolder folder;
  for (const fs::path& place : {fs::path(folder / "results"), fs::path()}) {
    const ResultCache shelf(place);
    const ResultKey key = someKey("heads", "w");
    EXPECT_FALSE(shelf.find(key));
    ASSERT_TRUE(shelf.keep({key, "2026-11-02T14:03:22Z", Json{{"a", 0.1}}}));
    ResultKey renamed = key;
    renamed.scheme = renamed.model = renamed.path = "another name";
    const auto found = shelf.find(renamed);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->measured, "2026-11-02T14:03:22Z");
    EXPECT_EQ(found->result, (Json{{"a", 0.1}}));
    EXPECT_EQ(found->key.scheme, "sch2");
    for (auto text : {&ResultKey::kind, &ResultKey::detail, &ResultKey::weights, &ResultKey::masks,
                      &ResultKey::data}) {
      ResultKey other = key;
      other.*text += "x";
      EXPECT_FALSE(shelf.find(other));
    }
    ResultKey fewer = key;
    fewer.samples = 63;
    EXPECT_FALSE(shelf.find(fewer));
    ASSERT_TRUE(shelf.keep({key, "2026-11-03T14:03:22Z", Json{{"a", 0.2}}}));  // in its place
    EXPECT_EQ(valueOrThrow(shelf.list()).size(), 1u);
    shelf.remove(key);
    EXPECT_FALSE(shelf.find(key));
  }
}

TEST(ResultCache, IsBoundedAndTheOldestLeave) {
  TemporaryFolder folder;
  const ResultCache shelf(folder / "results");
  const auto keyOf = [](const std::string& kind, int i) {
    return someKey(kind, "w" + std::to_string(i));
  };
  const int most = static_cast<int>(ResultCache::kMostOfAKind);
  for (int i = 0; i < most + 5; ++i)
    ASSERT_TRUE(shelf.keep({keyOf("heads", i), utcNow(), Json::object()}));
  EXPECT_EQ(filesIn(folder / "results").size(), ResultCache::kMostOfAKind);
  EXPECT_FALSE(shelf.find(keyOf("heads", 4)));
  EXPECT_TRUE(shelf.find(keyOf("heads", 5)));
  for (const char* kind : {"accuracy", "similarity"})
    for (int i = 0; i < most; ++i)
      ASSERT_TRUE(shelf.keep({keyOf(kind, i), utcNow(), Json::object()}));
  EXPECT_EQ(filesIn(folder / "results").size(), ResultCache::kMostResults);
  EXPECT_FALSE(shelf.find(keyOf("heads", most + 4)));
  EXPECT_TRUE(shelf.find(keyOf("similarity", most - 1)));
  const std::string large(ResultCache::kMostBytes + 1, 'x');
  EXPECT_FALSE(shelf.keep({keyOf("heads", 0), utcNow(), Json(large)}));
  std::ofstream(folder / "results/notes.txt") << "of somebody else";
  EXPECT_EQ(valueOrThrow(shelf.clear()), ResultCache::kMostResults);
  EXPECT_EQ(filesIn(folder / "results"), std::vector<fs::path>{folder / "results/notes.txt"});
}

TEST(ResultCache, DamagedOrLyingFilesAreNone) {
  TemporaryFolder folder;
  const QuietLog log;
  const ResultCache shelf(folder / "results");
  const ResultKey key = someKey("heads", "w"), other = someKey("heads", "v");
  const std::string date = "2026-11-02T14:03:22Z";
  ASSERT_TRUE(shelf.keep({key, date, Json::object()}));
  const fs::path file = filesIn(folder / "results")[0];
  const std::string good = *readFile(file, 1u << 20);
  const auto becomes = [&](const std::string& text) {
    std::ofstream(file, std::ios::trunc) << text;
    return shelf.find(key).has_value();
  };
  EXPECT_TRUE(becomes(good));
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  std::string deep(100'000, '[');
  for (const std::string& bad :
       {std::string(), std::string("{"), good.substr(0, good.size() / 2), std::string("[1,2]"),
        std::string("null"), deep, with("\"schema\":1", "\"schema\":2"),
        with("\"schema\":1", "\"schema\":\"1\""), with("\"w\"", "\"v\""), with("\"w\"", "7"),
        with(date, "yesterday"), with("\"samples\":64", "\"samples\":\"all\""),
        with("\"samples\":64", "\"samples\":65"), with("\"measured\"", "\"measured \""),
        with("\"result\"", "\"results\""), good + good}) {
    EXPECT_FALSE(becomes(bad)) << bad.substr(0, 200);
    EXPECT_FALSE(log.said().empty());
    EXPECT_TRUE(valueOrThrow(shelf.list()).empty());
  }
  // Of another key under this one's name; a link that leads elsewhere.
  std::ofstream(file, std::ios::trunc) << with("\"w\"", "\"v\"");
  EXPECT_FALSE(shelf.find(other));
  std::ofstream(folder / "elsewhere") << good;
  fs::remove(file);
  fs::create_symlink(folder / "elsewhere", file);
  EXPECT_FALSE(shelf.find(key));
  // And anew in its place; what the link led to is not touched.
  EXPECT_FALSE(shelf.keep({key, date, Json::object()}));
  EXPECT_EQ(*readFile(folder / "elsewhere", 1u << 20), good);
  fs::remove(file);
  EXPECT_TRUE(shelf.keep({key, date, Json::object()}));
  EXPECT_TRUE(shelf.find(key));
}

TEST(ResultCache, ThatCannotBeWrittenKeepsNobodyFromMeasuring) {
  const QuietLog log;
  const auto session = smallSession();
  const auto shelf = std::make_shared<const ResultCache>("/proc/no/such/place");
  const auto found = keptSimilarity({shelf}, {*session, itsImages(*session), itsMasks(*session)});
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_TRUE(found->measured.empty());
  EXPECT_NE(log.said().find("could not be saved"), std::string::npos) << log.said();
}

TEST(CachedMetrics, ComeBackBitForBitInAnotherProgram) {
  TemporaryFolder folder;
  const ImageSample* images = nullptr;
  std::vector<HeadValues> heads;
  LayerSimilarity similarity;
  std::vector<SchemeResult> accuracies;
  for (const bool again : {false, true}) {
    SCOPED_TRACE(again ? "again" : "first");
    const auto session = smallSession();  // equal weights from the same seed
    const auto shelf = std::make_shared<const ResultCache>(folder / "results");
    const ImageSample sample = itsImages(*session);
    images = &sample;
    const MaskScheme masks = itsMasks(*session);
    MaskScheme hard = masks;
    hard.set(1, 0, {MaskKind::Hard, 3});
    const MeasuredOn on{*session, *images, masks};
    EXPECT_EQ(measures([&](const ProgressCallback& notify) {
                const auto found = keptHeads(
                    {shelf}, on, {HeadMetric::Entropy, HeadMetric::ImportanceFirstOrder}, notify);
                if (again) {
                  for (std::size_t m = 0; m < 2; ++m) {
                    EXPECT_EQ((*found)[m].values, heads[m].values);
                    EXPECT_EQ((*found)[m].note, heads[m].note);
                    EXPECT_EQ((*found)[m].images, 9);
                    EXPECT_EQ((*found)[m].measured, heads[m].measured);
                  }
                  EXPECT_EQ((*found)[0].chance, heads[0].chance);
                }
                if (found) heads = *found;
                return found;
              }),
              !again);
    EXPECT_EQ(measures([&](const ProgressCallback& notify) {
                const auto found = keptSimilarity({shelf}, on, notify);
                if (again) {
                  EXPECT_EQ(found->values, similarity.values);
                }
                if (found) similarity = *found;
                return found;
              }),
              !again);
    EXPECT_EQ(measures([&](const ProgressCallback& notify) {
                const auto found = keptEvaluations({shelf}, on, {masks, hard}, notify);
                for (std::size_t s = 0; again && s < 2; ++s) {
                  EXPECT_EQ((*found)[s].loss, accuracies[s].loss);
                  const auto effect = maskEffect((*found)[s], accuracies[s]);
                  EXPECT_TRUE(effect && effect->changed == 0 && effect->lossRise == 0);
                  EXPECT_EQ((*found)[s].images[3].name, accuracies[s].images[3].name);
                  EXPECT_EQ((*found)[s].images[3].probability, accuracies[s].images[3].probability);
                }
                if (found) accuracies = *found;
                return found;
              }),
              !again);
    EXPECT_TRUE(isUtc(heads[1].measured) && isUtc(similarity.measured));
  }
  EXPECT_EQ(filesIn(folder / "results").size(), 5u);
}

TEST(CachedMetrics, OnlyWhatIsMissingIsMeasured) {
  const auto session = smallSession();
  const auto shelf = std::make_shared<const ResultCache>("");
  const ImageSample sample = itsImages(*session);
  const MaskScheme masks = itsMasks(*session);
  const MeasuredOn on{*session, sample, masks};
  const auto wanted = {HeadMetric::Entropy, HeadMetric::Locality, HeadMetric::Distance};
  ASSERT_TRUE(keptHeads({shelf}, on, {HeadMetric::Locality}));
  const auto all = valueOrThrow(keptHeads({shelf}, on, wanted));
  const auto direct = valueOrThrow(measureHeadMetrics(*session, sample, masks, wanted));
  for (std::size_t m = 0; m < 3; ++m) {
    EXPECT_EQ(all[m].measure, direct[m].measure);
    EXPECT_EQ(all[m].values, direct[m].values);
  }
  // Where only kept ones are wanted, nothing is measured.
  EXPECT_TRUE(keptHeads({shelf, CachePolicy::Use::Kept}, on, wanted));
  const auto none = keptSimilarity({shelf, CachePolicy::Use::Kept}, on);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::NotFound);
  EXPECT_TRUE(measures([&](const ProgressCallback& notify) {
    return keptHeads({shelf, CachePolicy::Use::Measured}, on, wanted, notify);
  }));
  EXPECT_TRUE(valueOrThrow(keptHeads({}, on, {HeadMetric::Locality}))[0].measured.empty());
}

TEST(CachedMetrics, OtherWeightsMasksOrImagesAreMeasured) {
  const auto session = smallSession();
  const auto shelf = std::make_shared<const ResultCache>("");
  const ImageSample sample = itsImages(*session);
  const MaskScheme masks = itsMasks(*session);
  const auto isKept = [&](InferenceSession& of, const ImageSample& images,
                          const MaskScheme& under) {
    return keptSimilarity({shelf, CachePolicy::Use::Kept}, {of, images, under}).ok();
  };
  ASSERT_TRUE(keptSimilarity({shelf}, {*session, sample, masks}));
  EXPECT_TRUE(isKept(*session, sample, masks));
  MaskScheme hard = masks;
  hard.set(0, 0, {MaskKind::Hard, 3});
  EXPECT_FALSE(isKept(*session, sample, hard));
  ImageSample fewer = sample;
  fewer.samples = 8;
  EXPECT_FALSE(isKept(*session, fewer, masks));
  ImageSample others = sample;
  others.data.validationSamples = 10;
  EXPECT_FALSE(isKept(*session, others, masks));
  // Where images are read from by how many threads changes no number.
  ImageSample threads = sample;
  threads.data.loaderThreads = 2;
  EXPECT_TRUE(isKept(*session, threads, masks));
  const auto nudged = smallSession();
  withModel(*nudged, [](Model& model) {
    at::Tensor(model.trainable().back().second).view({-1})[0] += 1e-6;
  });
  EXPECT_FALSE(isKept(*nudged, sample, masks));
}

TEST(CachedMetrics, ADataSetThatChangedIsMeasured) {
  TemporaryFolder folder;
  const auto session = smallSession();
  const MaskScheme masks = itsMasks(*session);
  ImageSample sample = itsImages(*session);
  sample.data.dataset = "folder";
  sample.data.path = (folder / "images").string();
  fs::create_directories(folder / "images/val/a");
  const auto digest = [&] {
    return valueOrThrow(resultKey(*session, sample, masks, "heads")).data;
  };
  const std::string before = digest();
  EXPECT_EQ(digest(), before);
  fs::create_directories(folder / "images/val/b");
  const std::string grown = digest();
  EXPECT_NE(grown, before);
  fs::last_write_time(folder / "images/val/a",
                      fs::last_write_time(folder / "images/val/a") + std::chrono::seconds(5));
  EXPECT_NE(digest(), grown);
}

TEST(CachedMetrics, ADigestIsOfWhatTheModelIsNotOfItsMasks) {
  const auto session = smallSession(), twin = smallSession();
  const std::string digest = valueOrThrow(session->digest());
  EXPECT_EQ(digest.size(), 16u);
  EXPECT_EQ(valueOrThrow(twin->digest()), digest);
  MaskScheme soft = itsMasks(*session);
  soft.set(1, 1, {MaskKind::Soft, 3, 0.25});
  soft.set(0, 0, {MaskKind::Random, 3, 0.5, 7});
  const auto masked = smallSession();
  withModel(*masked, [&](Model& model) { model.setMasks(soft); });
  EXPECT_EQ(valueOrThrow(masked->digest()), digest);
  withModel(*masked, [&](Model& model) { EXPECT_EQ(model.masks(), soft); });
  // What a soft head has learned is another model.
  const auto learned = smallSession();
  withModel(*learned, [&](Model& model) {
    model.setMasks(soft);
    for (const auto& [name, tensor] : model.state())
      if (name.ends_with("soft_mask_logit")) at::Tensor(tensor).fill_(1.5);
  });
  EXPECT_NE(valueOrThrow(learned->digest()), digest);
}

TEST(CachedMetrics, AKeptResultThatDoesNotFitTheModelIsMeasuredAnew) {
  TemporaryFolder folder;
  const QuietLog log;
  const auto session = smallSession();
  const auto shelf = std::make_shared<const ResultCache>(folder / "results");
  const ImageSample sample = itsImages(*session);
  const MaskScheme masks = itsMasks(*session);
  const MeasuredOn on{*session, sample, masks};
  const auto good = valueOrThrow(keptHeads({shelf}, on, {HeadMetric::Entropy}))[0];
  auto kept = *shelf->find(valueOrThrow(resultKey(*session, sample, masks, "heads", "entropy")));
  const Json result = kept.result;
  const auto become = [&](const std::function<void(Json&)>& change) {
    kept.result = result;
    change(kept.result);
    valueOrThrow(shelf->keep(kept));
    return valueOrThrow(keptHeads({shelf}, on, {HeadMetric::Entropy}))[0];
  };
  const std::vector<std::function<void(Json&)>> lies{
      [](Json& json) { json = 7; },
      [](Json& json) { json.erase("values"); },
      [](Json& json) { json["values"] = {{1}}; },
      [](Json& json) { json["values"][0][0] = "much"; },
      [](Json& json) { json["values"][0].push_back(1); },
      [](Json& json) { json["chance"] = Json::array(); },
      [](Json& json) { json["pictures"] = -1; },
      [](Json& json) { json["measure"] = "als"; },
      [](Json& json) { json["note"] = 1; },
  };
  for (std::size_t i = 0; i < lies.size(); ++i) {
    const HeadValues found = become(lies[i]);
    EXPECT_EQ(found.values, good.values) << i;
    EXPECT_NE(log.said().find("measured again"), std::string::npos);
  }
}

}  // namespace
}  // namespace headlight
