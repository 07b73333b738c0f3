// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What `attend --show` makes of the explanations: images, numbers and arrays.

#include <filesystem>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "app/cli/figures/AttendImages.h"
#include "app/cli/options/KnownBoxes.h"
#include "app/cli/terminal/ProgressBar.h"
#include "app/cli/terminal/Terminal.h"
#include "core/workbench/attribution/Explanations.h"
#include "core/workbench/attribution/FaithfulnessStudy.h"

namespace headlight::cli {

inline constexpr const char* kFaithfulness = "faithfulness";

/// What was asked for. `folder` empty: no images.
struct ExplanationRequest {
  InferenceSession& session;
  const MaskScheme& masks;
  std::string show;  ///< an explanation's name, or kFaithfulness
  Query query;
  ExplanationOptions options = {};
  int box = -1;  ///< of those that a detector found in the image, best first; −1: none by itself
  bool foreground = false;
  RolloutOptions rollout = {};
  ImageStyle style = {};
  std::string folder = {};
  KnownBoxes* truths = nullptr;  ///< of images in which an object is marked; null: not known
  bool keepArrays = false;
  std::int64_t images = 1;  ///< in all, for what remains
};

class AttendExplanations {
 public:
  AttendExplanations(ExplanationRequest job, Terminal& terminal, std::stop_token stop)
      : m_job(std::move(job)), m_terminal(terminal), m_stop(std::move(stop)), m_bar(terminal) {
    m_remaining.start(0);
  }

  /// One image, by its path, or by `name` where there are only numbers.
  void addImage(const std::filesystem::path& path, const Image& image);
  void addNumbers(const std::string& name, const RawImages& image);
  /// What needs all images: feature PCA. Then the rest is there.
  void finish();

  const Json& results() const { return m_results; }
  /// For faithfulness: a method after the other, over all images; else empty.
  const Json& summary() const { return m_summary; }
  const std::vector<RawInferenceResult>& inferences() const {
    return m_inferences;
  }  ///< logits alone
  std::vector<RawArray> arrays() const;

 private:
  struct Subject {
    std::string name;
    std::filesystem::path path;  ///< empty: numbers
    RawImages image;
    InferenceResult inference;  ///< without maps; of numbers its logits alone
    int width = 0, height = 0;  ///< of the image; 0: numbers
  };
  void add(Subject subject);
  void explain(const Subject& subject, Json& result, Json& files);
  Json heatmap(const Subject& subject, Json& files);
  Json curve(const Subject& subject, Json& files);
  ProgressCallback judging();
  Json measureFaithfulness(const Subject& subject, Json& files);
  void finishFaithfulness();
  Heatmap computeHeatmap(const Subject& subject);
  /// Throws Failure naming --box where the image has not so many.
  const FoundObject& boxOf(const Subject& subject) const;
  /// What is said of a marked object: its box in pixels, and its IoU where true boxes are known.
  struct Marked {
    std::string box;    ///< "box 12, 8 to 60, 72"
    std::string match;  ///< "IoU 0.62 with cat"; empty: no true box is known
    double overlap = 0;
  };
  Marked markedObject(const Subject& subject, const BoxSides& box) const;
  void drawHeatmap(const Subject& subject, const Heatmap& heatmap, Json& files);
  void drawColors(const FeatureColors& colors);
  void save(const Subject& subject, const std::string& suffix, const Image& image, Json& files);
  std::string makeStem(const Subject& subject);
  void keep(const std::string& name, std::vector<std::int64_t> shape,
            const std::vector<float>& values);

  ExplanationRequest m_job;
  Terminal& m_terminal;
  std::stop_token m_stop;
  Json m_results = Json::array(), m_summary = Json::array();
  StudySums m_study;
  ProgressBar m_bar;
  RemainingTime m_remaining;
  std::vector<RawInferenceResult> m_inferences;
  std::vector<RawArray> m_arrays;  ///< of all images, one behind the other
  std::set<std::string> m_stems;
  // For colors, until all are there.
  std::vector<Subject> m_subjects;
  std::vector<TokenFeatures> m_features;
};

}  // namespace headlight::cli
