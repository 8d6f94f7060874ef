"""conanfile.py — Belay's library for Conan 2: `conan create packaging/conan --version 0.2.0`."""
import os

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy


class BelayConan(ConanFile):
    name = "belay"
    version = "0.2.0"
    package_type = "static-library"
    license = "Apache-2.0"
    description = "Durable workflows for C++, with SQLite inside"
    topics = ("workflow", "durable-execution", "sqlite")
    settings = "os", "compiler", "build_type", "arch"
    options = {"postgres": [True, False]}
    default_options = {"postgres": False, "boost/*:header_only": True}

    def export_sources(self):
        top = os.path.join(self.recipe_folder, "..", "..")
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "src/*"):
            copy(self, pattern, top, self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def validate(self):
        check_min_cppstd(self, 20)

    def requirements(self):
        self.requires("boost/[>=1.81 <2]", transitive_headers=True)
        self.requires("fmt/[>=9 <12]", transitive_headers=True)
        self.requires("sqlite3/[>=3.40 <4]")
        if self.options.postgres:
            self.requires("libpq/[>=15 <17]")

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["BELAY_SERVER"] = False
        toolchain.cache_variables["BELAY_EXAMPLES"] = False
        toolchain.cache_variables["BUILD_TESTING"] = False
        toolchain.cache_variables["BELAY_POSTGRES"] = bool(self.options.postgres)
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        # Belay's own package knows its archives and their order.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "belay")]
