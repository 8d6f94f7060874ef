// main.cpp — belay-media, the sandboxed helper: a Pool starts it, nobody else does.
#include "isolate/serve.hpp"
#include "media/native/register.hpp"

int main() {
    belay::isolate::Registry registry;
    belay::media::register_all(registry);
    return belay::isolate::serve(registry);
}
