// SPDX-License-Identifier: GPL-3.0-or-later

// reconstruct: what a masked autoencoder makes of images of which it sees some patches.

#include <optional>
#include <set>

#include "app/cli/figures/AttendImages.h"
#include "app/cli/options/Inputs.h"
#include "app/cli/options/ModelOptions.h"
#include "app/cli/options/ResultFlags.h"
#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ExitCodes.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/workbench/pretraining/Reconstruction.h"

namespace headlight::cli {
namespace {

class ReconstructCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command = app.add_subcommand(
        "reconstruct", tr("Show what a masked autoencoder (MAE) makes of images whose patches are "
                          "partly dropped"));
    command->add_option("files", m_images, tr("Images or image folders"))
        ->type_name("FILE")
        ->required();
    command
        ->add_option("--mask-ratio", m_maskRatio,
                     tr("Share of the patches that are dropped, between 0 and 1; default: as the "
                        "model was trained"))
        ->type_name("NUM")
        ->check(CLI::Range(0.01, 0.99).description(""));
    command
        ->add_option("--images", m_folder,
                     tr("Folder for the PNG files (masked, reconstructed and original beside each "
                        "other); default: the current folder"))
        ->type_name("FOLDER");
    command
        ->add_option("--layer", m_layer,
                     tr("Also show where a kept token looks in this layer, counted from 0, while "
                        "the other patches are dropped"))
        ->type_name("INT");
    command
        ->add_option("--head", m_head,
                     tr("With --layer: the head, counted from 0; default: the mean of all"))
        ->type_name("INT");
    command
        ->add_option(
            "--query", m_query,
            tr("With --layer: the token that looks, \"class\" or a kept patch as ROW,COLUMN; "
               "default class"))
        ->type_name("TEXT");
    declareJson(*command, m_json);
    m_model.declare(*command);
    command->get_option("--seed")->description(
        tr("Seed of which patches are dropped, the same of every image, and of random weights; "
           "default 0"));
    return command;
  }

  int run(Terminal& terminal, std::stop_token /*stop*/) override {
    m_model.require();
    const auto images = expandImages(m_images);
    m_session = m_model.open(terminal);
    valueOrThrow(canReconstruct(m_session->info().experiment.model));
    checkMap();
    const Query query = queryFromText(m_query, m_session->info().grid);
    makeOutputFolder(m_folder);
    const int exitCode = forEachImage(
        images, /*strict=*/false, terminal,
        [&](const auto& path, const Image& image) { write(path, image, query, terminal); });
    if (terminal.json()) {
      const ModelInfo& info = m_session->info();
      terminal.printJson(Json{{"model", modelJson(info, m_model.masksFor(info))},
                              {"seed", seed()},
                              {"results", m_results}});
    }
    return exitCode;
  }

 private:
  std::uint64_t seed() const { return static_cast<std::uint64_t>(m_model.source.seed); }

  void checkMap() const {
    if ((m_head || !m_query.empty()) && !m_layer)
      refuseUsage("--layer", tr("say which, for --head and --query"));
    if (m_head && *m_head < 0) refuseUsage("--head", tr("must be at least 0"));
  }

  /// Where the query looks; nothing without --layer.
  std::optional<DrawnKeptMap> mapOf(const Reconstruction& result, const Query& query) const {
    if (!result.attention) return std::nullopt;
    return valueOrThrow(
        drawKeptMap(*result.attention, {query.token, m_head.value_or(-1)}, result.masked));
  }

  Json mapJson(const DrawnKeptMap& map, const Query& query) const {
    return {{"layer", *m_layer},
            {"head", m_head ? Json(*m_head) : Json(nullptr)},
            {"query", query.text},
            {"map", m_session->info().mapMeaning},
            {"values", map.values}};  // NaN (dropped) becomes null
  }

  void write(const std::filesystem::path& path, const Image& image, const Query& query,
             Terminal& terminal) {
    const Reconstruction result =
        valueOrThrow(reconstruct(*m_session, image, {m_maskRatio, seed(), m_layer}));
    const auto map = mapOf(result, query);
    const std::filesystem::path file =
        std::filesystem::path(m_folder) / (unusedStem(m_stems, path) + "-reconstructed.png");
    valueOrThrow(writeFileAtomically(
        file, valueOrThrow(
                  encodePng(besideEachOther(result, map ? std::optional(map->image) : std::nullopt),
                            {{"Software", "Headlight"}}))));
    m_results.push_back({{"image", path.string()},
                         {"loss", result.loss},
                         {"patches", result.patches},
                         {"dropped", result.dropped},
                         {"attention", map ? mapJson(*map, query) : Json(nullptr)},
                         {"file", file.string()}});
    if (terminal.json()) return;
    terminal.print(file.string() + "  " + reconstructionText(result));
    if (map) terminal.print("  " + map->caption);
  }

  std::vector<std::string> m_images;
  std::optional<double> m_maskRatio;
  std::optional<int> m_layer, m_head;
  std::string m_query;
  std::string m_folder = ".";
  bool m_json = false;
  ModelOptions m_model;

  std::unique_ptr<InferenceSession> m_session;
  std::set<std::string> m_stems;  ///< names that are taken
  Json m_results = Json::array();
};

}  // namespace

std::unique_ptr<Command> makeReconstructCommand() {
  return std::make_unique<ReconstructCommand>();
}

}  // namespace headlight::cli
