// SPDX-License-Identifier: GPL-3.0-or-later

// sequence attend: where the heads of a layer look, as images and as arrays.

#include <filesystem>
#include <optional>

#include "app/cli/options/Inputs.h"
#include "app/cli/options/OldFlags.h"
#include "app/cli/options/ResultFlags.h"
#include "app/cli/terminal/ExitCodes.h"
#include "app/cli/terminal/SequenceCommands.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/workbench/loading/Input.h"

namespace headlight::cli {
namespace {

namespace fs = std::filesystem;

class SequenceAttendCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command =
        app.add_subcommand("attend", tr("Show the attention of every head in an image or a text"));
    m_run.declare(*command);
    command->add_option("image", m_image, tr("Image, for an image model"))->type_name("FILE");
    command
        ->add_option(
            "--text", m_text,
            tr("Text, for a text model; the last bytes are used, as many as the model takes"))
        ->type_name("TEXT");
    command
        ->add_option("--layer", m_layer, tr("Only this layer, counted from 0; default: all layers"))
        ->type_name("INT")
        ->check(CLI::Range(0.0, 1e6).description(""));
    command
        ->add_option("-o,--output", m_output,
                     tr("Write `attention.L` [H,T,T] to this safetensors file. Row i: the position "
                        "that predicts byte i; column 0: the start; column j: byte j - 1. For "
                        "aft_conv also `filter.L` [H,s], exp(w) - 1 by distance"))
        ->type_name("FILE");
    command
        ->add_option("-p,--images", m_folder,
                     tr("Folder for PNG files, one per layer with a captioned matrix per head"))
        ->type_name("FOLDER");
    acceptOldFlag(*command, "--pictures", m_folder);
    command
        ->add_option(
            "--colormap", m_colors,
            tr("Color map: viridis, cividis, inferno, turbo, jet or gray; default viridis"))
        ->type_name("TEXT");
    command->add_option("--tile", m_tile, tr("Size of each matrix in pixels; default 384"))
        ->type_name("INT")
        ->check(CLI::Range(16, 4096).description(""));
    declareJson(*command, m_json);
    return command;
  }

  int run(Terminal& terminal, std::stop_token stop) override {
    check();
    const auto colors = colorMapFromName(m_colors);
    if (!colors) refuseUsage("--colormap", colors.error().text());
    m_session = m_run.open("sequence attend");
    std::optional<Image> image;
    if (!m_image.empty()) image = valueOrThrow(readImageAt(m_image));
    std::vector<SequenceMaps> layers;
    for (const int layer : wantedLayers()) {
      if (stop.stop_requested()) throw Failure({ErrorCode::Canceled, "stopped", ""});
      layers.push_back(
          valueOrThrow(image ? m_session->infer(*image, layer) : m_session->infer(m_text, layer)));
    }
    if (!m_output.empty()) valueOrThrow(writeSequenceMaps(m_output, layers));
    return report(layers, draw(layers, *colors), terminal);
  }

 private:
  /// What can be said before the model is loaded.
  void check() const {
    if (m_run.run.empty()) refuseUsage("sequence attend", tr("needs a RUN"));
    if (m_image.empty() == m_text.empty())
      refuseUsage("sequence attend", tr("needs either an image or --text TEXT"));
    if (m_output.empty() && m_folder.empty())
      refuseUsage("sequence attend", tr("needs an output: --images FOLDER or --output FILE"));
  }

  std::vector<int> wantedLayers() const {
    if (m_layer) return {*m_layer};
    std::vector<int> all;
    for (int l = 0; l < m_session->experiment().model.depth; ++l)
      all.push_back(l);
    return all;
  }

  std::vector<std::string> draw(const std::vector<SequenceMaps>& layers, ColorMap colors) const {
    std::vector<std::string> files;
    if (m_folder.empty()) return files;
    makeOutputFolder(m_folder);
    for (const SequenceMaps& maps : layers) {
      const std::string title =
          m_session->experiment().name + tr(", layer ") + std::to_string(maps.layer);
      const fs::path file =
          fs::path(m_folder) / ("attention-layer" + std::to_string(maps.layer) + ".png");
      valueOrThrow(writeFileAtomically(
          file, valueOrThrow(encodePng(sequenceMapsFigure(maps, title, colors, m_tile),
                                       {{"Software", "Headlight"}}))));
      files.push_back(file.string());
    }
    return files;
  }

  int report(const std::vector<SequenceMaps>& layers, const std::vector<std::string>& files,
             Terminal& terminal) const {
    if (terminal.json()) {
      terminal.printJson(Json{{"run", m_session->weights().string()},
                              {"map", layers.front().meaning},
                              {"heads", layers.front().heads},
                              {"length", layers.front().length},
                              {"taps", layers.front().taps},
                              {"output", m_output.empty() ? Json() : Json(m_output)},
                              {"files", files}});
      return kExitOk;
    }
    for (const std::string& file : files)
      terminal.print(file);
    if (!m_output.empty()) terminal.print(m_output);
    terminal.note(layers.front().meaning);
    return kExitOk;
  }

  SequenceRunOptions m_run;
  std::string m_image, m_text, m_output, m_folder, m_colors = "viridis";
  std::optional<int> m_layer;
  int m_tile = 384;
  bool m_json = false;
  std::shared_ptr<SequenceSession> m_session;
};

}  // namespace

std::unique_ptr<Command> makeSequenceAttendCommand() {
  return std::make_unique<SequenceAttendCommand>();
}

}  // namespace headlight::cli
