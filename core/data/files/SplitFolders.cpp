// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/files/SplitFolders.h"

#include <algorithm>
#include <iterator>

#include "core/base/Result.h"
#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/data/files/FolderEntries.h"
#include "core/imaging/codecs/Image.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kNamedSplits = 10;
constexpr const char* kTrain = "train";
const std::vector<std::string> kTrainNames{kTrain, "training"};
const std::vector<std::string> kValidationNames{"val", "validation", "valid"};
const std::vector<std::string> kTestNames{"test", "testing"};

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The folders of a place, by what their names claim.
struct Claims {
  std::vector<std::string> train, validation, test, others;

  explicit Claims(const FilePlace& place) {
    for (FolderEntry& entry : place.entries(""))
      if (entry.folder) listFor(lowered(entry.name)).push_back(std::move(entry.name));
  }
  bool none() const { return train.empty() && validation.empty() && test.empty(); }
  /// Whether the claims are taken for what they say.
  bool areSplits() const {
    if (contains(train, kTrain)) return true;
    if (!train.empty() && !(validation.empty() && test.empty())) return true;
    return others.empty();
  }

 private:
  std::vector<std::string>& listFor(const std::string& name) {
    switch (splitWord(name)) {
      case SplitWord::Train:
        return train;
      case SplitWord::Validation:
        return validation;
      case SplitWord::Test:
        return test;
      case SplitWord::None:
        break;
    }
    return others;
  }
};

std::string slashed(const std::vector<std::string>& names) {
  std::vector<std::string> shown;
  for (const std::string& name : names)
    shown.push_back(name + "/");
  return joined(shown, kNamedSplits);
}

/// The one that claims the split; empty: none does.
std::string onlyOne(const std::vector<std::string>& names, const char* split,
                    const fs::path& root) {
  if (names.size() > 1)
    throw Failure({ErrorCode::InvalidFile,
                   slashed(names) + (names.size() == 2 ? " both" : " all") +
                       tr(" claim to be the ") + split +
                       tr(" split; keep one of them, or put their class folders together"),
                   root.string()});
  return names.empty() ? "" : names.front();
}

/// What lies in one folder, not deeper.
struct Content {
  std::vector<std::string> folders;
  bool images = false;

  Content(const FilePlace& place, const std::string& folder) {
    for (FolderEntry& entry : place.entries(folder))
      if (entry.folder)
        folders.push_back(std::move(entry.name));
      else
        images = images || hasImageExtension(entry.name);
  }
};

/// A folder called as a split that holds folders alone, with classes in it that lie beside it too,
/// or beside folders of images, is no class as they are, but it is no split either.
bool isEither(const Content& content, const std::vector<std::string>& others,
              const FilePlace& place) {
  if (content.images || content.folders.empty()) return false;
  return std::any_of(others.begin(), others.end(), [&](const std::string& other) {
    if (contains(content.folders, other)) return true;
    const Content beside(place, other);
    return beside.images ||
           std::any_of(beside.folders.begin(), beside.folders.end(),
                       [&](const std::string& name) { return contains(content.folders, name); });
  });
}

/// The claims are classes among others.
SplitFolders asClasses(const Claims& claims, const FilePlace& place) {
  SplitFolders found;
  std::vector<std::string> claiming;
  for (const auto* names : {&claims.train, &claims.validation, &claims.test})
    claiming.insert(claiming.end(), names->begin(), names->end());
  for (const std::string& name : claiming)
    if (isEither(Content(place, name), claims.others, place))
      throw Failure({ErrorCode::InvalidFile,
                     name +
                         tr("/ has the name of a split and contains folders, but beside it is ") +
                         slashed(claims.others) +
                         tr(", so it may be a split or a class; put the training classes into "
                            "train/ and the validation classes into val/, or rename it"),
                     place.root().string()});
  if (!claiming.empty())
    found.notes.push_back(slashed(claiming) +
                          (claiming.size() == 1 ? " is a class" : " are classes") +
                          ", like the folders beside " + (claiming.size() == 1 ? "it" : "them"));
  return found;
}

/// "training" of "training_set": a split's name may say what it is of.
std::string withoutKind(std::string name) {
  for (const std::string kind : {"dataset", "images", "data", "set"})
    if (name.ends_with(kind)) {
      name.resize(name.size() - kind.size());
      name.resize(name.find_last_not_of("_- ") + 1);
      break;
    }
  return name;
}

/// What a person may not expect.
void noteReading(SplitFolders& found, const Claims& claims) {
  const bool plainTrain = found.train.empty() || found.train == kTrain;
  const bool plainValidation =
      found.validation.empty() || contains(kValidationNames, found.validation);
  std::string text;
  if (!plainTrain) text = found.train + "/ is the training split";
  if (!plainValidation) addTo(text, found.validation + "/ is the validation split", " and ");
  if (!text.empty()) found.notes.push_back(text);
  std::vector<std::string> unused = claims.others;
  if (!claims.validation.empty())
    unused.insert(unused.begin(), claims.test.begin(), claims.test.end());
  if (!unused.empty())
    found.notes.push_back(slashed(unused) + (unused.size() == 1 ? " is" : " are") + " not used");
}

}  // namespace

bool isSplitName(const std::string& name) {
  return splitWord(name) != SplitWord::None;
}

SplitWord splitWord(const std::string& word) {
  const std::string plain = withoutKind(lowered(word));
  if (contains(kTrainNames, plain)) return SplitWord::Train;
  if (contains(kValidationNames, plain)) return SplitWord::Validation;
  return contains(kTestNames, plain) ? SplitWord::Test : SplitWord::None;
}

SplitFolders splitFoldersIn(const FilePlace& place) {
  const Claims claims(place);
  const fs::path& root = place.root();
  if (claims.none()) return {};
  if (!claims.areSplits()) return asClasses(claims, place);
  SplitFolders found;
  found.train = onlyOne(claims.train, "training", root);
  found.validation = onlyOne(claims.validation, "validation", root);
  if (found.validation.empty()) found.validation = onlyOne(claims.test, "test", root);
  noteReading(found, claims);
  return found;
}

}  // namespace headlight
