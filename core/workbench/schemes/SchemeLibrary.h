// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Mask schemes that a person keeps by name: a folder with a JSON file for each, which window and
// commands share. No torch type here.

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/Result.h"
#include "core/config/Experiment.h"

namespace headlight {

/// Ok for a name that a file can have everywhere and that means nothing else to --masks: 1 to 100
/// bytes of UTF-8 without control characters, / \ : @ and *, no dot or space in front, no space at
/// the end, not ending in .json, and no preset's. Error: InvalidArgument, saying what is wrong.
Result<void> checkSchemeName(const std::string& name);

class SchemeLibrary {
 public:
  /// The folder need not exist: it is made when something is saved.
  explicit SchemeLibrary(std::filesystem::path folder) : m_folder(std::move(folder)) {}
  /// The person's own (core/base/files/UserFolders.h), "schemes" in it.
  static std::filesystem::path defaultFolder();
  const std::filesystem::path& folder() const { return m_folder; }

  /// By name; what cannot be a scheme by its name is left out. A missing folder is an empty one.
  Result<std::vector<std::string>> names() const;
  bool has(const std::string& name) const;
  /// Errors: NotFound, UnsupportedFile (a link), a file that is no scheme.
  Result<MaskConfig> read(const std::string& name) const;
  /// For a model of this shape; it has the name it is kept by. Errors besides: another shape.
  Result<MaskScheme> load(const std::string& name, const MaskShape& shape) const;

  enum class Existing { Refuse, Replace };
  /// Errors: a name that cannot be (checkSchemeName), one that is taken (InvalidArgument), Io.
  Result<void> save(const std::string& name, const MaskConfig& masks,
                    Existing existing = Existing::Refuse) const;
  /// Errors: NotFound, a new name that cannot be or is taken, Io.
  Result<void> rename(const std::string& from, const std::string& to) const;
  /// Error: NotFound, Io.
  Result<void> remove(const std::string& name) const;

 private:
  std::filesystem::path m_folder;
};

/// What --masks takes: a preset ("sch2", "sch2:5"), else a saved scheme, else a JSON file;
/// "random-like:NAME@SEED" of any of them. A file that is named as a saved scheme is ./NAME.
Result<MaskScheme> masksNamed(const std::string& name, const MaskShape& shape,
                              const SchemeLibrary& shelf);

/// The masks in a mask file or a config, in force in a checkpoint, or in the last checkpoint of a
/// run's folder (in its config where there is none). Errors: as reading those.
Result<MaskConfig> masksIn(const std::filesystem::path& fileOrRun);

}  // namespace headlight
