// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What `attend --show` makes of the ways of looking: pictures, numbers and arrays.

#include <filesystem>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "app/cli/figures/AttendPictures.h"
#include "app/cli/terminal/ProgressBar.h"
#include "app/cli/terminal/Terminal.h"
#include "core/workbench/attribution/Explanations.h"
#include "core/workbench/attribution/FaithfulnessStudy.h"

namespace headlight::cli {

inline constexpr const char* kFaithfulness = "faithfulness";

/// What was asked for. `folder` empty: no pictures.
struct ExplanationRequest {
  InferenceSession& session;
  const MaskScheme& masks;
  std::string show;  ///< a way's name, or kFaithfulness
  Query query;
  ExplanationOptions options = {};
  bool foreground = false;
  RolloutOptions rollout = {};
  PictureStyle style = {};
  std::string folder = {};
  bool keepArrays = false;
  std::int64_t pictures = 1;  ///< in all, for what remains
};

class AttendExplanations {
 public:
  AttendExplanations(ExplanationRequest job, Terminal& terminal, std::stop_token stop)
      : m_job(std::move(job)), m_terminal(terminal), m_stop(std::move(stop)), m_bar(terminal) {
    m_remaining.start(0);
  }

  /// One picture, by its path, or by `name` where there are only numbers.
  void addPicture(const std::filesystem::path& path, const Image& image);
  void addNumbers(const std::string& name, const RawImages& picture);
  /// What needs all pictures: feature colours. Then the rest is there.
  void finish();

  const Json& results() const { return m_results; }
  /// Of faithfulness: a method after the other, over all pictures; else empty.
  const Json& summary() const { return m_summary; }
  const std::vector<RawInferenceResult>& looks() const { return m_looks; }  ///< logits alone
  std::vector<RawArray> arrays() const;

 private:
  struct Subject {
    std::string name;
    std::filesystem::path path;  ///< empty: numbers
    RawImages picture;
    InferenceResult look;  ///< without maps; of numbers its logits alone
  };
  void add(Subject subject);
  Json heat(const Subject& subject, Json& files);
  Json depth(const Subject& subject, Json& files);
  ProgressCallback judging();
  Json faithfulnessOf(const Subject& subject, Json& files);
  void finishFaithfulness();
  Heatmap heatOf(const Subject& subject);
  void drawHeatmap(const Subject& subject, const Heatmap& heat, Json& files);
  void drawColors(const FeatureColors& colors);
  void save(const Subject& subject, const std::string& suffix, const Image& picture, Json& files);
  std::string stemOf(const Subject& subject);
  void keep(const std::string& name, std::vector<std::int64_t> shape,
            const std::vector<float>& values);

  ExplanationRequest m_job;
  Terminal& m_terminal;
  std::stop_token m_stop;
  Json m_results = Json::array(), m_summary = Json::array();
  StudySums m_study;
  ProgressBar m_bar;
  RemainingTime m_remaining;
  std::vector<RawInferenceResult> m_looks;
  std::vector<RawArray> m_arrays;  ///< of all pictures, one behind the other
  std::set<std::string> m_stems;
  // Of the feature colours, until all are there.
  std::vector<Subject> m_subjects;
  std::vector<TokenFeatures> m_features;
};

}  // namespace headlight::cli
