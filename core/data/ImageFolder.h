#pragma once
// A folder of class folders of pictures: either train/ beside one of val/, validation/, valid/,
// test/, or the class folders directly.
//
// Class folders are sorted naturally, as timm does (NaturalOrder.h). Pictures may lie deeper inside
// a class folder. Names that begin with a dot, and files without a picture's extension, are passed
// over. A folder reached twice through links is read once.

#include <filesystem>

#include "core/data/Subset.h"

namespace headlight {

Result<OpenedSource> openImageFolder(const DatasetSpec& spec, Split split);

/// Whether `path` looks like one: two class folders or more with a picture in each of the first
/// two.
bool looksLikeImageFolder(const std::filesystem::path& path);

}  // namespace headlight
