// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/ImageLists.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <utility>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/data/LabeledFiles.h"
#include "core/data/files/ClassFolders.h"
#include "core/data/files/NaturalOrder.h"
#include "core/data/labels/ClassFile.h"

namespace headlight {
namespace {

using Names = std::vector<std::string>;
using LabelSet = std::set<std::string>;

constexpr std::size_t kNamedLabels = 10;

LabelSet labelsOf(const FilePlace& place, const ListedSplit& split) {
  LabelSet labels;
  if (split.list)
    for (const ListedFile& file : split.list->files)
      labels.insert(file.label);
  else if (!split.folder.empty())
    for (std::string& name : folderNames(place, split.folder))
      labels.insert(std::move(name));
  return labels;
}

Names without(const LabelSet& labels, const LabelSet& known) {
  Names rest;
  std::set_difference(labels.begin(), labels.end(), known.begin(), known.end(),
                      std::back_inserter(rest));
  std::sort(rest.begin(), rest.end(), naturalLess);
  return rest;
}

/// −1: not a whole number from 0 without leading zeros.
std::int64_t indexFrom(const std::string& text) {
  std::int64_t index = -1;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), index);
  const bool whole = problem == std::errc() && end == text.data() + text.size();
  return whole && std::to_string(index) == text ? index : -1;
}

/// The classes of a place in order, and how they are called.
struct Classes {
  Names names;
  std::map<std::string, int> labels;

  Classes(const LabelSet& known, const Names& file, Names& notes) {
    Names ordered(known.begin(), known.end());
    std::sort(ordered.begin(), ordered.end(), naturalLess);
    for (const std::string& label : ordered)
      labels[label] = static_cast<int>(labels.size());
    names = ordered;
    if (!file.empty()) takeNames(file, notes);
  }

 private:
  /// Numbers from 0, or from 1 where the greatest is the count of names.
  void takeNames(const Names& file, Names& notes) {
    const auto count = static_cast<std::int64_t>(file.size());
    std::int64_t least = count, greatest = -1;
    for (const auto& [label, place] : labels) {
      const std::int64_t index = indexFrom(label);
      if (index < 0) return;
      least = std::min(least, index);
      greatest = std::max(greatest, index);
    }
    const std::int64_t from = least >= 1 && greatest == count ? 1 : 0;
    if (greatest - from >= count) return;
    if (LabelSet(file.begin(), file.end()).size() != file.size()) return;
    for (auto& [label, place] : labels)
      place = static_cast<int>(indexFrom(label) - from);
    names = file;
    notes.push_back("classes are named by the place's list of classes");
  }
};

void add(ListedSplit& to, const std::optional<ListedFiles>& more) {
  if (more) to.list->files.insert(to.list->files.end(), more->files.begin(), more->files.end());
}

/// Splits of few-shot learning share no class, so none can validate another.
void joinSplitsOfNoCommonClass(const FilePlace& place, PlaceLists& lists) {
  if (!lists.train.list || !lists.validation.list) return;
  const LabelSet train = labelsOf(place, lists.train), other = labelsOf(place, lists.validation);
  if (without(other, train).size() != other.size()) return;
  lists.notes.push_back(
      "the lists share no class, as in few-shot learning, so their images are used together");
  add(lists.train, lists.validation.list);
  add(lists.train, lists.test);
  lists.validation = {};
}

void requireKnownClasses(const FilePlace& place, const LabelSet& train,
                         const ListedSplit& validation) {
  const Names unknown = without(labelsOf(place, validation), train);
  if (unknown.empty()) return;
  const std::string where = validation.list ? validation.list->list : validation.folder;
  throw Failure({ErrorCode::InvalidFile,
                 tr("has classes that the training split lacks: ") + joined(unknown, kNamedLabels) +
                     tr("; use the same names, or remove these images"),
                 place.path(where).string()});
}

void fill(LabeledFiles& dataset, const FilePlace& place, const ListedSplit& split,
          const Classes& classes, Names& notes) {
  if (split.list) {
    for (const ListedFile& file : split.list->files)
      dataset.add(file.name, classes.labels.at(file.label));
    return;
  }
  Leftovers leftovers;
  for (const ClassOfImages& one : imagesOfClasses(place, split.folder, &leftovers))
    for (const std::string& image : one.images)
      dataset.add(nameIn(nameIn(split.folder, one.name), image), classes.labels.at(one.name));
  if (const std::string text = leftovers.files.text(); !text.empty())
    notes.push_back(split.folder + "/: " + text);
}

void noteMissing(const LabelSet& train, const LabelSet& validation, Names& notes) {
  const Names missing = without(train, validation);
  if (!missing.empty() && !validation.empty())
    notes.push_back("validation has no images of " + joined(missing, kNamedLabels) + ", so " +
                    (missing.size() > 1 ? "these classes are" : "this class is") +
                    " not validated");
}

}  // namespace

OpenedSource openImageLists(std::shared_ptr<const FilePlace> place, PlaceLists lists, Split split) {
  joinSplitsOfNoCommonClass(*place, lists);
  if (!lists.train.any() && split == Split::Train)
    throw Failure({ErrorCode::NotFound,
                   tr("has no training images with classes; put a list of them (train.csv) or "
                      "class folders in train/ beside it"),
                   place->root().string()});
  const bool shareOut = !lists.validation.any();
  const ListedSplit& classesFrom = lists.train.any() ? lists.train : lists.validation;
  const LabelSet known = labelsOf(*place, classesFrom);
  if (known.size() < 2)
    throw Failure({ErrorCode::InvalidFile,
                   tr("all images have one class; a classifier needs at least two classes"),
                   place->root().string()});
  requireKnownClasses(*place, known, lists.validation);
  if (!shareOut) noteMissing(known, labelsOf(*place, lists.validation), lists.notes);
  const Classes classes(known, classFileIn(*place), lists.notes);
  auto dataset = std::make_unique<LabeledFiles>(place, "", classes.names);
  const bool validates = split == Split::Validation && !shareOut;
  fill(*dataset, *place, validates ? lists.validation : classesFrom, classes, lists.notes);
  for (std::string& note : lists.notes)
    note = place->root().string() + ": " + note;
  dataset->setNotes(std::move(lists.notes));
  return {std::move(dataset), shareOut};
}

}  // namespace headlight
