// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What an input is: the one answer that window and command line give for a path that a person
// names, chooses or drops. It is found from content; a name decides only where the content says
// nothing. No torch type here.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/Result.h"
#include "core/imaging/codecs/Image.h"

namespace headlight {

enum class InputKind {
  Unknown,          ///< only from identifyOrGuess()
  Image,            ///< a file of pixels
  SessionImage,     ///< a PNG that carries a session of the window
  VideoFrame,       ///< "clip.avi[12]": a frame, counted from 0
  MapImage,         ///< "maps.safetensors[2]": an image of a file of maps, counted from 0
  Video,            ///< a video, or an animated GIF
  Maps,             ///< a file of attention maps without a model (MapFile.h)
  Weights,          ///< .safetensors or .pth, of a classifier or of anything; an index of shards;
                    ///< "checkpoint.pth[student]": one of several models (WeightsPlace.h)
  SequenceWeights,  ///< .safetensors of a sequence model
  Config,           ///< JSON: an Experiment, and any JSON that is nothing of the next three
  Masks,            ///< JSON: a mask scheme, or the `masks` section alone
  Session,          ///< JSON: a session of the window
  SequenceConfig,   ///< JSON: the config of a sequence model
  HubFolder,        ///< a model of the Hugging Face hub (HubFolder.h)
  RunFolder,        ///< of a training run that began
  SequenceRun,      ///< of a training run of a sequence model
  Dataset,          ///< a folder that training can use (class folders, shards, CIFAR, IDX)
  Folder,           ///< any other folder, of images or of nothing
};

struct Input {
  InputKind kind = InputKind::Unknown;
  /// The file or folder itself: without "[2]" for a frame or an image of maps; the folder where
  /// the config.json of a hub model was named.
  std::filesystem::path path = {};
  int index = -1;         ///< of a VideoFrame or MapImage, from 0; else -1
  std::string text = {};  ///< of JSON its bytes (at most 32 MB); of a SessionImage its session
  std::string datasetKind = {};       ///< of a Dataset: "image-folder", "cifar10", …
  bool byName = false;                ///< guessed from the name: its reader says what is wrong
  std::optional<Error> problem = {};  ///< what is wrong with JSON, or what identify() failed with

  bool isJson() const;    ///< Config, Masks, Session, SequenceConfig
  bool isFolder() const;  ///< HubFolder to Folder
  bool isImage() const;   ///< Image to MapImage: readImageAt() reads it
  /// A checkpoint by its content: Maps, Weights, SequenceWeights.
  bool holdsTensors() const;
  /// "clip.avi[12]" of a frame or an image of maps; else the path.
  std::string address() const;
};

/// Reads of a file its first 4 KB, and besides: JSON of at most 32 MB whole, the header of
/// safetensors, the text chunks of a PNG. Of a folder names, and the config.json of a run. Opens
/// nothing but regular files and folders. Errors have `path` as `where` and say, as the rest of a
/// sentence that begins with it, what is wrong: NotFound (missing, links in a circle), Io (no
/// permission), InvalidFile (empty), UnsupportedFile (a pipe or device, a playlist, a web page, a
/// packed archive, any other kind). Damaged files of a known kind are of that kind: their reader
/// says what is wrong.
Result<Input> identify(const std::filesystem::path& path);

/// The same for those whose reader says what is wrong: where identify() fails the kind by the name
/// (Unknown where that says nothing), with its error as `problem`.
Input identifyOrGuess(const std::filesystem::path& path);

/// "the folder of a training run"; for messages.
const char* toText(InputKind kind);

/// The image of a file, a frame of a video ("clip.avi[12]"), or an image of a file of maps
/// ("maps.safetensors[2]"). Errors: those of readImage(), readVideoFrame() and readMapImage().
Result<Image> readImageAt(const std::filesystem::path& address);

/// The weights of what `model` names, which a training of such a model starts from: a folder of
/// the hub, or a checkpoint. Empty for a published name, a config, and what is not there.
std::string weightsOfNamedModel(const std::string& model);

/// Under this keyword the text of a PNG holds a session.
inline constexpr const char* kSessionKeyword = "headlight.session";
/// A session's "kind".
inline constexpr const char* kSessionKind = "headlight-session";
/// Whether JSON text of at most 32 MB is a session at all (a config is not).
bool isSessionText(std::string_view text);

}  // namespace headlight
