// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What SphereImage.h gives, drawn: the same in the window and in what commands write. No torch type
// here.

#include <filesystem>
#include <string>

#include "core/imaging/drawing/Drawing.h"
#include "core/workbench/mechanisms/SphereImage.h"

namespace headlight {

/// From where three dimensions are seen, degrees: turned about the third axis, then lifted.
struct SphereView {
  double azimuth = 30;
  double elevation = 20;
};

/// A point of `dimensions` coordinates as it is seen: right and up, and (three dimensions) towards
/// the viewer.
struct SeenPoint {
  double right = 0, up = 0, near = 0;
};
SeenPoint seenPoint(const double* point, int dimensions, const SphereView& view);

/// A row for each head: its inputs, scaled to the longest, and their image on the circle or the
/// sphere. `subject`: "bus.jpg, deit_tiny"; may be empty.
Drawing sphereDrawing(const SphereTable& table, const SphereView& view, const std::string& subject);
/// "axes show 41 % and 20 % of the unit vectors; mean length on the axes 0.76 …", for one head.
std::string sphereText(const SphereHead& head);
/// layer,head,kind,token,input_1,…,image_1,…,share.
std::string sphereCsv(const SphereTable& table);
/// .pdf, .svg or .png, or the numbers as .csv. Errors: another name, a file that cannot be written.
Result<void> writeSphere(const std::filesystem::path& path, const SphereTable& table,
                         const SphereView& view, const std::string& subject);

}  // namespace headlight
