// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What `attend --show` makes of the images that a mechanism alone has: pages, plots, numbers and
// arrays.

#include <filesystem>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "app/cli/figures/AttendImages.h"
#include "app/cli/terminal/Terminal.h"
#include "core/workbench/mechanisms/MechanismPlotPages.h"

namespace headlight::cli {

/// What was asked for. `folder` empty: no images.
struct MechanismPlotJob {
  InferenceSession& session;
  const MaskScheme& masks;
  MechanismPlotInfo info;
  int token = -1;  ///< −1: the middle patch
  MechanismPlotStyle style = {};
  std::string folder = {};
  std::string format = {};  ///< "png", "svg", "pdf"; empty: png
  bool keepArrays = false;
};

class AttendMechanismPlots {
 public:
  AttendMechanismPlots(MechanismPlotJob job, Terminal& terminal, std::stop_token stop)
      : m_job(std::move(job)), m_terminal(terminal), m_stop(std::move(stop)) {}

  /// For the images, or of the numbers in a `tensor` file; of the weights alone once, whatever is
  /// given. Returns the exit code; throws Failure.
  int run(const std::vector<std::filesystem::path>& images, const std::string& tensor);

  const Json& results() const { return m_results; }
  const std::vector<RawInferenceResult>& inferences() const {
    return m_inferences;
  }  ///< logits alone
  /// `NAME.L`, of images all of them one behind the other.
  const std::vector<RawArray>& arrays() const { return m_arrays; }

 private:
  struct MechanismPlotSubject {
    std::string name, stem;
    Json image = nullptr;
    std::optional<RawImages> raw = {};
    InferenceResult inference = {};  ///< without maps; of the weights alone nothing
  };
  void addImage(const std::filesystem::path& path, const Image& image);
  void addNumbers(const std::string& name, const RawImages& image);
  void add(const MechanismPlotSubject& subject, bool drawn);
  void draw(const MechanismPlot& image, const MechanismPlotSubject& subject, Json& files);
  void write(const std::string& name, const std::string& bytes, Json& files);
  void keep(const MechanismPlot& image);

  MechanismPlotJob m_job;
  Terminal& m_terminal;
  std::stop_token m_stop;
  Json m_results = Json::array();
  std::vector<RawInferenceResult> m_inferences;
  std::vector<RawArray> m_arrays;
  std::set<std::string> m_stems;
};

/// Throws Failure naming --format for another one.
void requireOwnFormat(const std::string& format);
/// The options of `attend` as they are meant here; −1: all layers, all heads.
MechanismPlotStyle makePlotStyle(const ImageStyle& style, int layer, int head);
std::vector<std::string> mechanismPlotNames(const std::vector<MechanismPlotInfo>& all);
/// Null where none of `all` has this name.
const MechanismPlotInfo* mechanismPlotFromName(const std::string& name,
                                               const std::vector<MechanismPlotInfo>& all);

}  // namespace headlight::cli
