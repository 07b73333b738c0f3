// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Films that programs write.

#include "core/imaging/video/FilmFile.h"
