// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What `attend --show decoder` makes: where a query of a segmenter's decoder looks in one of its
// layers, as an image, numbers and an array.

#include <filesystem>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "app/cli/figures/AttendImages.h"
#include "app/cli/terminal/Terminal.h"

namespace headlight::cli {

inline constexpr const char* kDecoder = "decoder";

/// `folder` empty: no images.
struct DecoderRequest {
  InferenceSession& session;
  const MaskScheme& masks;
  std::string query;         ///< as typed: a number from 0
  std::optional<int> layer;  ///< of the decoder, from 0; empty: the last
  ImageStyle style = {};
  std::string folder = {};
  bool keepArrays = false;
};

class AttendDecoder {
 public:
  /// Throws Failure naming --show for a model without such a decoder, --query for what is no number.
  AttendDecoder(DecoderRequest job, Terminal& terminal, std::stop_token stop);

  /// Throws Failure naming --query or --decoder-layer for those that there are not.
  void addImage(const std::filesystem::path& path, const Image& image);

  const Json& results() const { return m_results; }
  const std::vector<RawInferenceResult>& inferences() const {
    return m_inferences;
  }  ///< logits alone
  /// `decoder` [B, rows, cols]; empty without keepArrays.
  std::vector<RawArray> arrays() const;

 private:
  int layerOf(const FoundSegments& found) const;
  std::string draw(const std::filesystem::path& path, const InferenceResult& inference, int layer,
                   const std::vector<float>& values);
  void keep(const InferenceResult& inference, const Grid& grid, const std::vector<float>& values);

  DecoderRequest m_job;
  Terminal& m_terminal;
  std::stop_token m_stop;
  int m_query = 0;
  Json m_results = Json::array();
  std::vector<RawInferenceResult> m_inferences;
  RawArray m_array;
  std::set<std::string> m_stems;
};

}  // namespace headlight::cli
