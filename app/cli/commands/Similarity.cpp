// SPDX-License-Identifier: GPL-3.0-or-later

// similarity: how alike the layers of a model look, of images or averaged over a dataset.

#include <cmath>
#include <cstdio>

#include "app/cli/figures/SimilarityImage.h"
#include "app/cli/options/Inputs.h"
#include "app/cli/options/MeasuredImages.h"
#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ExitCodes.h"
#include "app/cli/terminal/ProgressBar.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/workbench/loading/WeightsName.h"

namespace headlight::cli {
namespace {

std::string headWords(int head) {
  return head < 0 ? tr("mean of heads") : tr("head ") + std::to_string(head);
}

std::string imageWords(std::int64_t images) {
  return std::to_string(images) + (images == 1 ? tr(" image") : tr(" images"));
}

class SimilarityCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command = app.add_subcommand(
        "similarity",
        tr("Measure layer similarity: the cosine of attention maps, averaged over tokens"));
    m_images.declare(*command);
    command
        ->add_option("--head", m_head,
                     tr("Head of the table and the image; -1: the mean over the heads that both "
                        "layers have. Default -1"))
        ->type_name("INT");
    const auto file = [&](const char* flag, std::string& target, const char* help) {
      command->add_option(flag, target, help)->type_name("FILE");
    };
    file("--csv", m_csv,
         tr("Write every pair of layers for every head as CSV; - for standard output"));
    file("-o,--output", m_output, tr("Write the table as an image (PNG); - for standard output"));
    command->add_option("--colormap", m_colorMap, tr("Color map of the image; default viridis"))
        ->type_name("NAME");
    m_images.keep.declare(*command);
    command->add_flag("--json", m_json, tr("Print the result for all heads as one JSON object"));
    m_images.declareSources(*command);
    return command;
  }

  int run(Terminal& terminal, std::stop_token stop) override {
    check();
    m_colors = valueOrThrow(colorMapFromName(m_colorMap));
    prepareOutput("--csv", m_csv, terminal);
    prepareOutput("--output", m_output, terminal);
    const auto images = expandImages(m_images.images);
    if (images.size() > 1 && (!m_csv.empty() || !m_output.empty()))
      refuseUsage(m_csv.empty() ? "--output" : "--csv",
                  tr("takes one image, or a dataset for averages"));
    const ImageSample sample = m_images.sample();
    m_session = m_images.open(terminal);
    requireAttention(m_session->info());
    if (m_images.severalMaps(*m_session) && (!m_csv.empty() || !m_output.empty()))
      refuseUsage(m_csv.empty() ? "--output" : "--csv", tr("takes one image (FILE[0])"));
    m_masks = m_images.model.masksFor(m_session->info());
    requireHead();
    const int exitCode = images.empty() ? measureData(sample, terminal, stop)
                                        : measureImages(images, terminal, stop);
    if (terminal.json())
      terminal.printJson(imageResultsJson(m_session->info(), m_masks, m_results, m_output));
    return exitCode;
  }

 private:
  /// What can be said before the model is loaded.
  void check() {
    m_images.check();
    if (!m_csv.empty() && m_csv == m_output)
      refuseUsage("--csv", tr("and --output must be different files"));
  }

  void requireHead() const {
    int most = 0;
    for (const int heads : m_session->info().heads)
      most = std::max(most, heads);
    if (m_head < -1 || m_head >= most)
      refuseUsage("--head", tr("is 0 to ") + std::to_string(most - 1) + tr(", or -1 for the mean"));
  }

  int measureData(const ImageSample& sample, Terminal& terminal, std::stop_token stop) {
    ProgressBar bar(terminal);
    const auto measured = valueOrThrow(keptSimilarity(
        m_images.keep.keeping(), {*m_session, sample, m_masks}, bar.callback(), stop));
    terminal.setStatus("");
    report(Json(nullptr), measured, terminal);
    return kExitOk;
  }

  int measureImages(const std::vector<std::filesystem::path>& images, Terminal& terminal,
                    std::stop_token stop) {
    const bool strict = !m_csv.empty() || !m_output.empty();
    const auto one = [&](const auto& path, const Image& image) {
      const auto measured = valueOrThrow(measureSimilarity(*m_session, image, m_masks, stop));
      if (!terminal.json()) terminal.print(path.string());
      report(path.string(), measured, terminal);
    };
    return m_images.forEach(images, strict, *m_session, terminal, one);
  }

  void report(const Json& image, const LayerSimilarity& similarity, Terminal& terminal) {
    if (!terminal.json()) print(similarity, terminal);
    if (!m_csv.empty()) valueOrThrow(writeFileAtomically(m_csv, similarityCsv(similarity)));
    if (!m_output.empty()) draw(similarity, terminal);
    m_results.push_back(toJson(image, similarity));
  }

  static Json rows(const LayerSimilarity& similarity, int head) {
    Json list = Json::array();
    const auto& values = similarity.of(head);
    for (int row = 0; row < similarity.layers; ++row)
      list.push_back(std::vector<double>(values.begin() + row * similarity.layers,
                                         values.begin() + (row + 1) * similarity.layers));
    return list;  // NaN (not compared) becomes null
  }

  static Json toJson(const Json& image, const LayerSimilarity& similarity) {
    Json heads = Json::array();
    for (int head = 0; head < similarity.heads(); ++head)
      heads.push_back(rows(similarity, head));
    return {{"image", image},
            {"pictures", similarity.images},
            {"signed", similarity.isSigned},
            {"mean", rows(similarity, -1)},
            {"heads", heads},
            {"measured", measuredJson(similarity.measured)}};
  }

  void print(const LayerSimilarity& similarity, Terminal& terminal) const {
    terminal.print(tr("similarity of layers, ") + headWords(m_head) + "; " +
                   imageWords(similarity.images));
    if (!similarity.measured.empty()) terminal.print("  " + measuredText(similarity.measured));
    std::string header = "  layer";
    for (int column = 0; column < similarity.layers; ++column)
      header += cell("%7s", std::to_string(column).c_str());
    terminal.print(header);
    const auto& values = similarity.of(m_head);
    for (int row = 0; row < similarity.layers; ++row) {
      std::string line = cell("  %5s", std::to_string(row).c_str());
      for (int column = 0; column < similarity.layers; ++column) {
        const double value = values[static_cast<std::size_t>(row) * similarity.layers + column];
        line += std::isnan(value) ? std::string("      -") : cell("%7.3f", value);
      }
      terminal.print(line);
    }
  }

  template <typename T>
  static std::string cell(const char* format, T value) {
    char text[48];
    std::snprintf(text, sizeof text, format, value);
    return text;
  }

  void draw(const LayerSimilarity& similarity, Terminal& terminal) const {
    const std::string title = tr("similarity of layers, ") + headWords(m_head) + ": " +
                              makeModelTitle(m_session->info()) + tr(", masks ") +
                              schemeTitle(m_masks) + ", " + imageWords(similarity.images);
    const auto png = valueOrThrow(encodePng(similarityImage(similarity, m_head, m_colors, title)));
    valueOrThrow(writeFileAtomically(m_output, png));
    terminal.note(tr("wrote ") + m_output);
  }

  int m_head = -1;
  std::string m_csv, m_output, m_colorMap = "viridis";
  bool m_json = false;
  MeasuredImages m_images;

  ColorMap m_colors = ColorMap::Viridis;
  std::unique_ptr<InferenceSession> m_session;
  MaskScheme m_masks;
  Json m_results = Json::array();
};

}  // namespace

std::unique_ptr<Command> makeSimilarityCommand() {
  return std::make_unique<SimilarityCommand>();
}

}  // namespace headlight::cli
