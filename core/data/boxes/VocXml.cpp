// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/boxes/VocXml.h"

#include <charconv>
#include <cmath>
#include <pugixml.hpp>

#include "core/base/Result.h"
#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/base/Utf8.h"
#include "core/base/files/Files.h"

namespace headlight {
namespace {

constexpr double kMostPixels = 1e9;  // of a coordinate

std::string_view trimmed(std::string_view text) {
  constexpr const char* kBlanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return "";
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

bool isUtf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8Length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

class VocReader {
 public:
  explicit VocReader(const std::string& where) : m_where(where) {}

  VocImage read(std::string_view text) {
    pugi::xml_document document;
    const auto parsed = document.load_buffer(text.data(), text.size());
    const pugi::xml_node root = document.child("annotation");
    if (!parsed || !root)
      refuse(tr("is no annotation of Pascal VOC (") +
             (parsed ? tr("no element annotation") : std::string(parsed.description())) + ")");
    VocImage image;
    image.file = trimmed(root.child_value("filename"));
    image.width = pixelsOf(root.child("size"), "width");
    image.height = pixelsOf(root.child("size"), "height");
    for (const pugi::xml_node object : root.children("object"))
      image.objects.push_back(objectOf(object));
    return image;
  }

 private:
  [[noreturn]] void refuse(const std::string& message) const {
    const std::string which = m_object == 0 ? "" : tr("object ") + std::to_string(m_object) + ": ";
    throw Failure({ErrorCode::InvalidFile, which + message, m_where});
  }

  double numberOf(pugi::xml_node parent, const char* name) const {
    const std::string_view text = trimmed(parent.child_value(name));
    double value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = !text.empty() && code == std::errc() && end == text.data() + text.size();
    if (!whole || !(std::abs(value) <= kMostPixels))
      refuse(std::string(name) +
             (text.empty() ? tr(" is missing") : tr(" is no number of pixels")));
    return value;
  }

  /// 0 where there is none.
  int pixelsOf(pugi::xml_node size, const char* name) const {
    if (!size.child(name)) return 0;
    const double value = numberOf(size, name);
    if (value < 0) refuse(std::string(name) + tr(" of the image is ") + numberText(value));
    return static_cast<int>(value);
  }

  VocObject objectOf(pugi::xml_node node) {
    ++m_object;
    VocObject object;
    object.name = trimmed(node.child_value("name"));
    if (object.name.empty() || !isUtf8(object.name))
      refuse(object.name.empty() ? tr("has no name") : tr("has a name that is not UTF-8"));
    object.box = boxOf(node.child("bndbox"));
    object.difficult = trimmed(node.child_value("difficult")) == "1";
    return object;
  }

  PixelBox boxOf(pugi::xml_node node) const {
    if (!node) refuse(tr("has no bndbox"));
    const double left = numberOf(node, "xmin"), top = numberOf(node, "ymin");
    const double right = numberOf(node, "xmax"), bottom = numberOf(node, "ymax");
    if (right < left || bottom < top)
      refuse(tr("bndbox ends before it begins; give xmax and ymax of at least xmin and ymin"));
    return {left - 1, top - 1, right - left + 1, bottom - top + 1};
  }

  const std::string& m_where;
  int m_object = 0;  ///< that is read, from 1; 0: none yet
};

}  // namespace

VocImage vocImageFromText(std::string_view text, const std::string& where) {
  return VocReader(where).read(text);
}

VocImage readVocXml(const std::filesystem::path& path) {
  return vocImageFromText(valueOrThrow(readFile(path, kMostVocBytes)), path.string());
}

}  // namespace headlight
