// SPDX-License-Identifier: GPL-3.0-or-later

// film: a video as a model sees it, as a film with maps and as a table of what is predicted.

#include <filesystem>
#include <optional>

#include "app/cli/figures/AttendImages.h"
#include "app/cli/options/ModelOptions.h"
#include "app/cli/options/ResultFlags.h"
#include "app/cli/options/RolloutFlags.h"
#include "app/cli/options/StyleOptions.h"
#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ExitCodes.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/base/files/OutputTarget.h"
#include "core/workbench/figures/VideoFilm.h"

namespace headlight::cli {
namespace {

constexpr const char* kFilmGroup = "Film";

class FilmCommand : public Command {
 public:
  CLI::App* declare(CLI::App& app) override {
    auto* command = app.add_subcommand(
        "film",
        tr("Run a model on a video: export its maps as a film and its predictions as a table"));
    command
        ->add_option(
            "video", m_video,
            tr("Video file: AVI, MP4 or QuickTime, Matroska or WebM, Ogg, MPEG, animated GIF"))
        ->type_name("VIDEO");
    command
        ->add_option("-o,--output", m_output,
                     tr("Write the film: FILE.gif, FILE.avi (Motion JPEG), FILE.mp4, or, without "
                        "an extension, a new folder of PNG files"))
        ->type_name("FILE");
    declareCsv(*command, m_csv,
               tr("Write the predictions as CSV (frame,time,class,probability); - for "
                  "standard output"));
    declareJson(*command, m_json);
    declareFrames(*command);
    declareMaps(*command);
    m_model.declare(*command);
    return command;
  }

  int run(Terminal& terminal, std::stop_token stop) override {
    check();
    if (m_csv == kStandardOutput) terminal.leaveStandardOutput();
    const auto video = valueOrThrow(VideoReader::open(m_video));
    m_model.require();
    const auto session = m_model.open(terminal);
    requireAttention(session->info());
    const MaskScheme masks = m_model.masksFor(session->info());
    m_options.query = queryFromText(m_queryText, session->info().grid).token;
    auto film = makeFilm(*video);
    const auto frames = valueOrThrow(filmVideo(
        *session, masks, *video, m_options, film.get(),
        [&](const Progress& progress) { notify(progress, terminal); }, stop));
    terminal.setStatus("");
    if (film) valueOrThrow(film->finish());
    if (!m_csv.empty()) valueOrThrow(writeFileAtomically(m_csv, filmedTable(frames)));
    if (terminal.json())
      terminal.printJson(resultJson(*session, masks, video->info(), film.get(), frames));
    else
      say(film.get(), frames, terminal);
    return kExitOk;
  }

 private:
  void declareFrames(CLI::App& command) {
    const auto number = [&](const char* flag, std::int64_t& target, const char* help) {
      return command.add_option(flag, target, help)->type_name("INT")->group(kFilmGroup);
    };
    number("--from", m_options.from, tr("First frame, counted from 0; default 0"))
        ->check(CLI::NonNegativeNumber.description(""));
    number("--to", m_options.to, tr("Last frame; default: the last of the video"))
        ->check(CLI::NonNegativeNumber.description(""));
    number("--every", m_options.every, tr("Use every n-th frame; default 1: all"))
        ->check(CLI::PositiveNumber.description(""));
    command.add_option("--seconds", m_seconds, tr("Seconds per frame; default: as in the video"))
        ->type_name("NUM")
        ->check(CLI::Range(0.001, 60.0).description(""))
        ->group(kFilmGroup);
    command
        .add_flag("--one-scale", m_options.oneScale,
                  tr("Use one scale for all frames (reads the video twice); default: one scale per "
                     "frame"))
        ->group(kFilmGroup);
    command
        .add_option("--width", m_options.width,
                    tr("Size of the model's input image in the film, in pixels; default 480"))
        ->type_name("INT")
        ->check(CLI::Range(32, 4000).description(""))
        ->group(kFilmGroup);
  }

  void declareMaps(CLI::App& command) {
    const char* group = "Maps";
    command.add_option("--show", m_show, tr("attention or rollout; default attention"))
        ->type_name("TEXT")
        ->group(group);
    command
        .add_option("--query", m_queryText,
                    tr("Query token, as in attend: class, a patch index, or row,column; default: "
                       "class, or the middle patch"))
        ->type_name("TEXT")
        ->group(group);
    command.add_option("--layer", m_layer, tr("Layer, counted from 0; default: the last"))
        ->type_name("INT")
        ->group(group);
    command
        .add_option("--head", m_head,
                    tr("Head, counted from 0; default: the mean of the layer's heads"))
        ->type_name("INT")
        ->group(group);
    m_rolloutFlags.declare(command, m_options.rollout, group);
    m_styleOptions.declare(command, m_style, group);
  }

  /// What can be said before anything is read.
  void check() {
    if (m_video.empty()) refuseUsage("film", tr("needs a VIDEO; see headlight-cli film --help"));
    if (m_output.empty() && m_csv.empty() && !m_json)
      refuseUsage("film", tr("needs an output: --output FILE, --csv FILE or --json"));
    if (m_output == kStandardOutput)
      refuseUsage("--output", tr("cannot be standard output; name a file or a folder"));
    if (m_show != "attention" && m_show != "rollout")
      refuseUsage("--show", m_show + tr(" is not known; give attention or rollout"));
    for (const auto* given : {&m_layer, &m_head})
      if (*given && **given < 0)
        refuseUsage(given == &m_layer ? "--layer" : "--head", tr("is counted from 0"));
    m_rolloutFlags.apply(m_options.rollout);
    if (!m_output.empty()) valueOrThrow(findFilmFormat(m_output));
    m_styleOptions.apply(m_style);
    m_options.showRollout = m_show == "rollout";
    m_options.layer = m_layer.value_or(-1);
    m_options.head = m_head.value_or(-1);
    m_options.style = m_style.style;
    m_options.colorMap = m_style.colorMap;
    m_options.dim = m_style.dim;
    m_options.opacity = m_style.opacity;
    m_options.smooth = m_style.smooth;
  }

  std::unique_ptr<FilmFile> makeFilm(const VideoReader& video) const {
    if (m_output.empty()) return nullptr;
    return valueOrThrow(
        FilmFile::create(m_output, m_seconds.value_or(secondsAFrame(video.info(), m_options))));
  }

  static void notify(const Progress& progress, Terminal& terminal) {
    std::string text = progress.stage + ": " + std::to_string(progress.done);
    if (progress.total > 0)
      text += " of " + std::to_string(progress.total) + ", " +
              formatDuration(progress.secondsRemaining) + tr(" left");
    terminal.setStatus(text);
  }

  void say(const FilmFile* film, const std::vector<FilmedFrame>& frames, Terminal& terminal) const {
    if (film)
      terminal.print(m_output + ": " + std::to_string(frames.size()) + tr(" frames, ") +
                     film->coding());
    if (!m_csv.empty() && m_csv != kStandardOutput) terminal.print(m_csv);
  }

  Json resultJson(const InferenceSession& session, const MaskScheme& masks, const VideoInfo& video,
                  const FilmFile* film, const std::vector<FilmedFrame>& frames) const {
    Json shown = Json::array();
    for (const FilmedFrame& frame : frames)
      shown.push_back(
          {{"frame", frame.index}, {"time", frame.seconds}, {"top", topJson(frame.top)}});
    return {{"model", modelJson(session.info(), masks)},
            {"video",
             {{"file", m_video},
              {"kind", video.kind},
              {"width", video.width},
              {"height", video.height},
              {"rate", video.rateKnown ? Json(video.rate) : Json(nullptr)},
              {"frames", video.frames > 0 ? Json(video.frames) : Json(nullptr)}}},
            {"show", m_show},
            {"output", film ? Json(m_output) : Json(nullptr)},
            {"coding", film ? Json(film->coding()) : Json(nullptr)},
            {"results", shown}};
  }

  std::string m_video, m_output, m_csv, m_queryText, m_show = "attention";
  std::optional<int> m_layer, m_head;
  std::optional<double> m_seconds;
  bool m_json = false;
  VideoFilmOptions m_options;
  ImageStyle m_style;
  StyleOptions m_styleOptions;
  RolloutFlags m_rolloutFlags;
  ModelOptions m_model;
};

}  // namespace

std::unique_ptr<Command> makeFilmCommand() {
  return std::make_unique<FilmCommand>();
}

}  // namespace headlight::cli
